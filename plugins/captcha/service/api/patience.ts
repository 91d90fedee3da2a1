import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { CaptchaRequest } from "../contract.js";
import { MEMORY_HASHES, memoryChallenge } from "../pow/memory-work.js";
import { newChallenge } from "../pow/proof.js";
import type { PatienceAnswer, PatienceRequest } from "../protocol.js";
import { trailScore } from "../score/trail.js";
import { isScripted, MAX_SCRIPTED, raisePrice } from "./answer.js";
import { decisionRecord, issueToken } from "./issue.js";
import { leave, pay, type TaskGiver } from "./next-task.js";
import { isPatient, waitOf } from "./patience-terms.js";
import { invalidRequest, sessionExpired } from "./refusal.js";
import { take } from "./sale.js";
import { inSession, type SessionRecord, type Step } from "./sessions.js";
import { levelNow } from "./task-choice.js";

type Tick = NonNullable<SessionRecord["tick"]>;
type Begun = NonNullable<SessionRecord["patience"]>;

/** POST /api/v1/patience: work and a wait, no puzzle (WCAG 3.3.8). @throws Refusal, StorageError */
export function bePatient(
  giver: TaskGiver,
  request: CaptchaRequest,
  body: PatienceRequest,
): Promise<PatienceAnswer> {
  const { parts } = giver;
  return inSession<PatienceAnswer>(parts, request, body.session, async (session, siteKey) => {
    const { tick } = session;
    if (tick === undefined) throw sessionExpired();
    if (!isPatient(parts, siteKey, session)) throw invalidRequest(403);
    const behaviour = trailScore(body.trail);
    if (!siteKey.shadow && isScripted(behaviour.score, body.trail.trusted, siteKey.threshold))
      return scripted(giver, request, siteKey, session, tick);
    const begun = await begin(giver, request, siteKey, body.session, session);
    if (body.pow !== undefined) await pay(parts, session, body.pow);
    return goOn(giver, request, siteKey, { session, tick, begun });
  });
}

/** Counts like a scripted answer (api/answer.ts). */
function scripted(
  { parts }: TaskGiver,
  request: CaptchaRequest,
  siteKey: CaptchaSiteKey,
  session: SessionRecord,
  tick: Tick,
): Step<PatienceAnswer> {
  session.scripted = (session.scripted ?? 0) + 1;
  raisePrice(parts, request, siteKey, session);
  parts.audit.decision(decisionRecord(parts, request, siteKey, session, { decision: "again", tick }));
  return { answer: { outcome: "again" }, session: session.scripted < MAX_SCRIPTED ? session : null };
}

/** Starts the wait, once a session: nobody works in vain, and a look at a picture in between does not restart it. */
async function begin(
  { parts, open }: TaskGiver,
  request: CaptchaRequest,
  siteKey: CaptchaSiteKey,
  id: string,
  session: SessionRecord,
): Promise<Begun> {
  let begun = session.patience;
  if (begun === undefined) {
    take(parts, request, siteKey, "patience");
    const at = parts.clock.now();
    const level = levelNow(parts, request, session);
    begun = { at, until: at + waitOf(parts, siteKey, level), level };
    session.patience = begun;
    session.paid = 0;
    delete session.pow;
  }
  await leave(parts, open, id, session);
  return begun;
}

async function goOn(
  { parts, mostBits }: TaskGiver,
  request: CaptchaRequest,
  siteKey: CaptchaSiteKey,
  { session, tick, begun: { at, until, level } }: { session: SessionRecord; tick: Tick; begun: Begun },
): Promise<Step<PatienceAnswer>> {
  const now = parts.clock.now();
  const wait_ms = Math.max(0, until - now);
  const bits = Math.min(mostBits, siteKey.powBits + parts.configuration().settings.price.patienceBits);
  if (session.paid < bits) {
    const pow =
      siteKey.work === "sha256"
        ? newChallenge(bits)
        : memoryChallenge(siteKey.powBits, MEMORY_HASHES.patience, bits);
    session.pow = { ...pow, issued: now };
    return { answer: { outcome: "pow", pow, wait_ms }, session };
  }
  if (wait_ms > 0) return { answer: { outcome: "wait", wait_ms }, session };
  session.tasks = [...session.tasks, { type: "patience", ok: true, ms: Math.round(now - at) }];
  const answer = await issueToken(parts, request, siteKey, session, { how: "patience", tick, level });
  parts.audit.decision(decisionRecord(parts, request, siteKey, session, { decision: "token", tick }));
  return { answer, session: null };
}
