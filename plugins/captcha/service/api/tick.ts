import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { CaptchaParts, CaptchaRequest, DecisionRecord } from "../contract.js";
import { workFault } from "../pow/memory-work.js";
import { isImpossiblyFast } from "../pow/proof.js";
import type { PowChallenge, ScoreAnswer, Telemetry } from "../protocol.js";
import { browserEvidence, looksHuman } from "../score/browser-signals.js";
import { combine, type Evidence } from "../score/combine.js";
import { hostingEvidence, rateEvidence } from "../score/network-signals.js";
import { requestEvidence } from "../score/request-signals.js";
import { SeenTicks } from "../score/seen-ticks.js";
import { fingerprintOf, telemetryOf } from "../score/telemetry.js";
import { decisionRecord, issueToken } from "./issue.js";
import { programFault } from "./program.js";
import { busy, SessionEnd, sessionExpired } from "./refusal.js";
import { sellToken } from "./sale.js";
import { answerPlace, belongsTo, inSession, newId, type SessionRecord, type Step } from "./sessions.js";
import type { TickRequest } from "./shapes.js";

/** Time for the task frame to load. */
const REFERENCE_MS = 60_000;

type Tick = NonNullable<SessionRecord["tick"]>;

/** POST /api/v1/score. */
export class Scoring {
  readonly #parts: CaptchaParts;
  readonly #hosting = hostingEvidence();
  readonly #seen: SeenTicks;

  constructor(parts: CaptchaParts) {
    this.#parts = parts;
    this.#seen = new SeenTicks(() => parts.clock.monotonic());
  }

  /** @throws Refusal, StorageError */
  tick(request: CaptchaRequest, body: TickRequest): Promise<ScoreAnswer> {
    return inSession(this.#parts, request, body.session, async (session, siteKey) => {
      const { pow } = session;
      // A session is ticked once; afterwards it has tasks or has ended.
      if (pow === undefined || session.tick !== undefined) throw sessionExpired();
      await this.#checkWork(request, body, siteKey, session, pow);
      const tick = this.#score(request, body, session, pow);
      const { pow: _paid, ...rest } = session;
      return await this.#decide(request, siteKey, { ...rest, tick }, tick, body.session);
    });
  }

  /** Missing work ends the session: the challenge was removed with the session (A31). */
  async #checkWork(
    request: CaptchaRequest,
    { pow: answer }: TickRequest,
    siteKey: CaptchaSiteKey,
    session: SessionRecord,
    pow: PowChallenge,
  ): Promise<void> {
    const fault = await workFault(pow, answer, this.#parts.memory).catch(busy);
    if (fault === undefined) return;
    const reasons = [{ code: `pow_${fault}`, weight: 1 }];
    const tick: Tick = {
      at: this.#parts.clock.now(),
      score: 1,
      proven: false,
      reasons: [],
      activation: "none",
      pow: { bits: pow.bits, ms: Math.round(answer.ms) },
    };
    this.#parts.audit.decision(
      decisionRecord(this.#parts, request, siteKey, session, { decision: "refused", tick, reasons }),
    );
    throw fault === "id" ? sessionExpired() : new SessionEnd(400, "invalid_request");
  }

  #score(
    request: CaptchaRequest,
    body: TickRequest,
    session: SessionRecord,
    pow: PowChallenge & { issued: number },
  ): Tick {
    const { clock, rates } = this.#parts;
    const live = this.#parts.configuration();
    const at = clock.now();
    const telemetry = telemetryOf(body.telemetry);
    const changed = session.agent !== belongsTo(request, live).agent;
    const replayed = telemetry !== undefined && this.#isReplay(telemetry, session);
    const fault = programFault(this.#parts, body, session);
    const evidence: Evidence[] = [
      ...browserEvidence(telemetry),
      ...(fault === undefined ? [] : [{ code: fault, x: 1 }]),
      ...(replayed ? [{ code: "telemetry_replayed", x: 1 } as const] : []),
      ...(isImpossiblyFast(pow, at - pow.issued) ? [{ code: "pow_too_fast", x: 1 } as const] : []),
      ...requestEvidence(request.headers, { secure: isSecure(live.settings.url), changed }),
      ...rateEvidence(rates, request.client, live.settings.limits),
      ...this.#hosting(request.client, live.settings.hostingNetworks),
    ];
    const { score, reasons } = combine(evidence, looksHuman(telemetry));
    const activation = telemetry?.activation.kind ?? "none";
    const work = { bits: pow.bits, ms: Math.round(body.pow.ms) };
    return { at, score, proven: fault === undefined, reasons, activation, pow: work };
  }

  #isReplay(telemetry: Telemetry, { network, request_id }: SessionRecord): boolean {
    const { digest, distinct } = fingerprintOf(telemetry);
    return this.#seen.isReplay(distinct ? digest : `${digest} ${network}`, request_id);
  }

  async #decide(
    request: CaptchaRequest,
    siteKey: CaptchaSiteKey,
    session: SessionRecord,
    tick: Tick,
    id: string,
  ): Promise<Step<ScoreAnswer>> {
    const byScore = decisionOf(siteKey, tick);
    const { decision, sale } = sellToken(this.#parts, request, siteKey, byScore, tick.pow.bits);
    if (sale !== undefined) tick.sale = sale;
    const record = () => decisionRecord(this.#parts, request, siteKey, session, { decision, tick });
    if (decision === "task") {
      const ref = newId();
      await this.#parts.states.put(`task-ref/${ref}`, { session: id }, REFERENCE_MS, answerPlace(session));
      this.#parts.audit.decision(record());
      return { answer: { outcome: "task", ref }, session };
    }
    const answer = await issueToken(this.#parts, request, siteKey, session, { how: "score", tick });
    this.#parts.audit.decision(record());
    return { answer, session: null };
  }
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
