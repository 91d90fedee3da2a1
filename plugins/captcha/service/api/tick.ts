import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { DecisionRecord } from "../contract.js";
import { workFault } from "../pow/memory-work.js";
import { isImpossiblyFast } from "../pow/proof.js";
import type { PowAnswer, PowChallenge, ScoreAnswer, Telemetry } from "../protocol.js";
import { browserEvidence, looksHuman } from "../score/browser-signals.js";
import { combine } from "../score/combine.js";
import type { SignalCode } from "../score/model.js";
import { hostingEvidence, rateEvidence } from "../score/network-signals.js";
import { requestEvidence } from "../score/request-signals.js";
import { fingerprintOf, SeenTicks, telemetryOf } from "../score/telemetry.js";
import { auditDecision, issueToken } from "./issue.js";
import { programFault } from "./program.js";
import { busy, SessionEnd, sessionExpired } from "./refusal.js";
import { sellToken } from "./sale.js";
import { answerPlace, belongsTo, newId, type SessionCall, type Step, type Tick } from "./sessions.js";
import type { TickRequest } from "./shapes.js";

/** Time for the task frame to load. */
const REFERENCE_MS = 60_000;

type Pow = PowChallenge & { issued: number };

/** POST /api/v1/score. */
export class Scoring {
  readonly #hosting = hostingEvidence();
  readonly #seen: SeenTicks;

  /** @param now monotonic time in ms */
  constructor(now: () => number) {
    this.#seen = new SeenTicks(now);
  }

  /** @throws Refusal, StorageError */
  async tick(call: SessionCall, body: TickRequest): Promise<Step<ScoreAnswer>> {
    const { session } = call;
    const { pow } = session;
    // A session is ticked once; afterwards it has tasks or has ended.
    if (pow === undefined || session.tick !== undefined) throw sessionExpired();
    await checkWork(call, pow, body.pow);
    const tick = this.#score(call, body, pow);
    delete session.pow;
    session.tick = tick;
    return await decide(call, tick);
  }

  #score(call: SessionCall, body: TickRequest, pow: Pow): Tick {
    const { parts, request, session } = call;
    const live = parts.configuration();
    const at = parts.clock.now();
    const telemetry = telemetryOf(body.telemetry);
    const changed = session.agent !== belongsTo(request, live).agent;
    const replayed = telemetry !== undefined && this.#isReplay(telemetry, call);
    const fault = programFault(call, body);
    const evidence: SignalCode[] = [
      ...browserEvidence(telemetry),
      ...requestEvidence(request.headers, { secure: isSecure(live.settings.url), changed }),
      ...rateEvidence(parts.rates, request.client, live.settings.limits),
      ...this.#hosting(request.client, live.settings.hostingNetworks),
    ];
    if (fault !== undefined) evidence.push(fault);
    if (replayed) evidence.push("telemetry_replayed");
    if (isImpossiblyFast(pow, at - pow.issued)) evidence.push("pow_too_fast");
    const { score, reasons } = combine(evidence, looksHuman(telemetry));
    const activation = telemetry?.activation.kind ?? "none";
    const work = { bits: pow.bits, ms: Math.round(body.pow.ms) };
    return { at, score, proven: fault === undefined, reasons, activation, pow: work };
  }

  #isReplay(telemetry: Telemetry, { session }: SessionCall): boolean {
    const { digest, distinct } = fingerprintOf(telemetry);
    return this.#seen.isReplay(distinct ? digest : `${digest} ${session.network}`, session.request_id);
  }
}

/** Missing work ends the session: the challenge was removed with the session (A31). */
async function checkWork(call: SessionCall, pow: Pow, answer: PowAnswer): Promise<void> {
  const fault = await workFault(pow, answer, call.parts.memory).catch(busy);
  if (fault === undefined) return;
  const tick: Tick = {
    at: call.parts.clock.now(),
    score: 1,
    proven: false,
    reasons: [],
    activation: "none",
    pow: { bits: pow.bits, ms: Math.round(answer.ms) },
  };
  auditDecision(call, "refused", tick, [{ code: `pow_${fault}`, weight: 1 }]);
  throw fault === "id" ? sessionExpired() : new SessionEnd(400, "invalid_request");
}

async function decide(call: SessionCall, tick: Tick): Promise<Step<ScoreAnswer>> {
  const { decision, sale } = sellToken(call, decisionOf(call.siteKey, tick), tick.pow.bits);
  if (sale !== undefined) tick.sale = sale;
  if (decision === "task") {
    const ref = newId();
    const place = answerPlace(call.session);
    await call.parts.states.put(`task-ref/${ref}`, { session: call.id }, REFERENCE_MS, place);
    auditDecision(call, decision, tick);
    return { answer: { outcome: "task", ref } };
  }
  const answer = await issueToken(call, { how: "score", tick });
  auditDecision(call, decision, tick);
  return { answer, ended: true };
}

/** Task if the score is strictly above the threshold (H7) or no browser ran the program; never in shadow mode. */
function decisionOf(
  { challengeMode, threshold, shadow }: Pick<CaptchaSiteKey, "challengeMode" | "threshold" | "shadow">,
  { score, proven }: Pick<Tick, "score" | "proven">,
): Extract<DecisionRecord["decision"], "token" | "task" | "shadow"> {
  if (challengeMode === "always") return "task";
  if (challengeMode === "never" || (proven && score <= threshold)) return "token";
  return shadow ? "shadow" : "task";
}

/** Browsers send Fetch Metadata and client hints only to such origins (Secure Contexts section 3.1). */
function isSecure(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const local = /(?:^|\.)localhost$|^\[::1\]$|^127\./;
  return protocol === "https:" || local.test(hostname);
}
