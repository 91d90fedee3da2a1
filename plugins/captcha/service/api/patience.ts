import { MEMORY_HASHES, memoryChallenge } from "../pow/memory-work.js";
import { newChallenge } from "../pow/proof.js";
import type { PatienceAnswer, PatienceRequest } from "../protocol.js";
import { trailScore } from "../score/trail.js";
import { isScripted, scripted } from "./answer.js";
import { auditDecision, issueToken } from "./issue.js";
import { leave, pay } from "./next-task.js";
import { invalidRequest, sessionExpired } from "./refusal.js";
import { mayWaitInsteadOfTask, take, waitMs } from "./sale.js";
import type { SessionCall, SessionRecord, Step, Tick } from "./sessions.js";
import { levelNow } from "./task-choice.js";

type Begun = NonNullable<SessionRecord["patience"]>;

/** POST /api/v1/patience: work and a wait, no puzzle (WCAG 3.3.8). @throws Refusal, StorageError */
export async function bePatient(
  call: SessionCall,
  body: PatienceRequest,
  mostBits: number,
): Promise<Step<PatienceAnswer>> {
  const { tick } = call.session;
  if (tick === undefined) throw sessionExpired();
  if (!mayWaitInsteadOfTask(call)) throw invalidRequest(403);
  const { score } = trailScore(body.trail);
  if (isScripted(call, score, body.trail)) return scripted(call, tick);
  const begun = begin(call);
  await leave(call);
  if (body.pow !== undefined) await pay(call, body.pow);
  return goOn(call, tick, begun, mostBits);
}

/** Starts the wait, once a session: nobody works in vain, and a look at a picture in between does not restart it. */
function begin(call: SessionCall): Begun {
  const { parts, session } = call;
  if (session.patience !== undefined) return session.patience;
  take(call, "patience");
  const at = parts.clock.now();
  const level = levelNow(call);
  session.patience = { at, until: at + waitMs(call, level), level };
  session.paid = 0;
  delete session.pow;
  return session.patience;
}

async function goOn(
  call: SessionCall,
  tick: Tick,
  { at, until, level }: Begun,
  mostBits: number,
): Promise<Step<PatienceAnswer>> {
  const { parts, siteKey, session } = call;
  const now = parts.clock.now();
  const wait_ms = Math.max(0, until - now);
  const bits = Math.min(mostBits, siteKey.powBits + parts.configuration().settings.price.patienceBits);
  if (session.paid < bits) {
    const pow =
      siteKey.work === "sha256"
        ? newChallenge(bits)
        : memoryChallenge(siteKey.powBits, MEMORY_HASHES.patience, bits);
    session.pow = { ...pow, issued: now };
    return { answer: { outcome: "pow", pow, wait_ms } };
  }
  if (wait_ms > 0) return { answer: { outcome: "wait", wait_ms } };
  session.tasks = [...session.tasks, { type: "patience", ok: true, ms: Math.round(now - at) }];
  const answer = await issueToken(call, { how: "patience", tick, level });
  auditDecision(call, "token", tick);
  return { answer, ended: true };
}
