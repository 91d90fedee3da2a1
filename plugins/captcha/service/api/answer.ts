import type { CheckReply, DecisionRecord, TaskAnswer } from "../contract.js";
import type { AnswerAnswer, AnswerRequest, TaskTrail } from "../protocol.js";
import { trailScore } from "../score/trail.js";
import { triesOf, waitAfter } from "./cost.js";
import { auditDecision, issueToken } from "./issue.js";
import { dropParts, TASK_MS, takeAnswer } from "./open-tasks.js";
import { sessionExpired, tooManyTries } from "./refusal.js";
import type { SessionCall, ShownTask, Step, Tick } from "./sessions.js";

/** Factor by which the second score is less strict than the first, since a task was solved (reference 4.4). */
const LENIENCE = 0.2;
/** Right answers that a doubtful pace rejects; later ones count, so that no person is trapped. */
const MAX_RETASKS = 2;
/** Right answers by a script, after which the session ends; none of them counts. */
const MAX_SCRIPTED = 5;
/** Wrong answers after which a session ends. The box starts again, at the network's current price. */
const MAX_WRONG = 5;
/** Maximum number of tasks that a session keeps for the audit. */
const TASKS_KEPT = 20;

const AGAIN = { outcome: "again" } as const;
/** Compared if there is no task, so that this takes as long as a wrong answer. No reply contains NUL. */
const NO_ANSWER: TaskAnswer = { type: "text", text: "\0" };

/**
 * POST /api/v1/task/<task>/answer. Wrong, late, foreign and unknown answers get the same response after the
 * same steps (C25, 4.4).
 * @throws Refusal, StorageError
 */
export async function answerTask(
  call: SessionCall,
  task: string,
  body: AnswerRequest,
  checkReply: CheckReply,
): Promise<Step<AnswerAnswer>> {
  const { parts, session } = call;
  const { tick } = session;
  if (tick === undefined) throw sessionExpired();
  // Removed before the comparison: there is one attempt (A33, A34).
  const answer = await takeAnswer(call, task);
  const shown = session.task;
  const isShown = shown?.id === task;
  const ms = shown === undefined ? 0 : parts.clock.now() - shown.at;
  const isLate = isShown && ms >= TASK_MS;
  const right = checkReply(answer ?? NO_ANSWER, body.reply) && answer !== undefined && isShown && !isLate;
  if (shown !== undefined) {
    await dropParts(call, shown);
    delete session.task;
    const tasks = [...session.tasks, { type: shown.type, ok: right, ms: Math.round(ms) }];
    session.tasks = tasks.slice(-TASKS_KEPT);
  }
  return right && shown !== undefined ? await solved(call, tick, shown, body) : failed(call, tick, isLate);
}

async function solved(
  call: SessionCall,
  tick: Tick,
  shown: ShownTask,
  { trail }: AnswerRequest,
): Promise<Step<AnswerAnswer>> {
  const { session, siteKey } = call;
  const { score, reasons } = trailScore(trail);
  const why = [{ code: "behaviour_retask", weight: score }, ...reasons];
  // Nothing compensates for a script's steps; all else may be a quick person (C26).
  if (isScripted(call, score, trail)) return scripted(call, tick, why);
  if (!siteKey.shadow && score > siteKey.threshold + LENIENCE && session.retasked < MAX_RETASKS) {
    session.retasked++;
    auditDecision(call, "again", tick, why);
    return { answer: AGAIN };
  }
  const how = shown.type === "audio" ? "audio" : "task";
  const answer = await issueToken(call, { how, tick, level: shown.level ?? 0 });
  auditDecision(call, "token", tick);
  return { answer, ended: true };
}

/** Reports whether the steps' evidence would be decisive at the tick. @param score of the trail */
export const isScripted = ({ siteKey }: SessionCall, score: number, { trusted }: TaskTrail): boolean =>
  !siteKey.shadow && trusted < 1 && score > siteKey.threshold;

export function scripted(
  call: SessionCall,
  tick: Tick,
  reasons?: DecisionRecord["reasons"],
): Step<typeof AGAIN> {
  const { session } = call;
  session.scripted = (session.scripted ?? 0) + 1;
  raisePrice(call);
  auditDecision(call, "again", tick, reasons);
  return { answer: AGAIN, ended: session.scripted >= MAX_SCRIPTED };
}

/** Charges a failure: the session's next task costs more, the network's next visitors get a higher score. */
function raisePrice({ parts, request, siteKey, session }: SessionCall): void {
  session.failed++;
  session.nextAt = parts.clock.now() + waitAfter(triesOf(session));
  parts.rates.add("task_failed", request.client, siteKey.id);
  parts.prices.count(siteKey.id, "failures");
}

/** An expired task is not counted: people leave their desks (H12). @throws SessionEnd */
function failed(call: SessionCall, tick: Tick, isLate: boolean): Step<AnswerAnswer> {
  if (!isLate) raisePrice(call);
  auditDecision(call, "again", tick);
  if (call.session.failed >= MAX_WRONG) throw tooManyTries();
  return { answer: AGAIN };
}
