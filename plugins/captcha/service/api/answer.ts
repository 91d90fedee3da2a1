import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { CaptchaParts, CaptchaRequest, CheckReply, TaskAnswer } from "../contract.js";
import type { AnswerAnswer, AnswerRequest } from "../protocol.js";
import { trailScore } from "../score/trail.js";
import { triesOf, waitAfter } from "./cost.js";
import { decisionRecord, issueToken } from "./issue.js";
import { type OpenTasks, TASK_MS } from "./open-tasks.js";
import { sessionExpired, tooManyTries } from "./refusal.js";
import { inSession, type SessionRecord, type Step } from "./sessions.js";

/** Factor by which the second score is less strict than the first, since a task was solved (reference 4.4). */
const LENIENCE = 0.2;
/** Right answers that a doubtful pace rejects; later ones count, so that no person is trapped. */
const MAX_RETASKS = 2;
/** Right answers by a script, after which the session ends; none of them counts. */
export const MAX_SCRIPTED = 5;
/** Wrong answers after which a session ends. The box starts again, at the network's current price. */
const MAX_WRONG = 5;
/** Maximum number of tasks that a session keeps for the audit. */
const TASKS_KEPT = 20;

const AGAIN = { outcome: "again" } as const;
/** Compared if there is no task, so that this takes as long as a wrong answer. No reply contains NUL. */
const NO_ANSWER: TaskAnswer = { type: "text", text: "\0" };

type Tick = NonNullable<SessionRecord["tick"]>;
type Shown = NonNullable<SessionRecord["task"]>;

export interface TaskChecker {
  parts: CaptchaParts;
  open: OpenTasks;
  checkReply: CheckReply;
}

/**
 * POST /api/v1/task/<task>/answer. Wrong, late, foreign and unknown answers get the same response after the
 * same steps (C25, 4.4).
 * @throws Refusal, StorageError
 */
export function answerTask(
  { parts, open, checkReply }: TaskChecker,
  request: CaptchaRequest,
  task: string,
  body: AnswerRequest,
): Promise<AnswerAnswer> {
  return inSession<AnswerAnswer>(parts, request, body.session, async (session, siteKey) => {
    const { tick } = session;
    if (tick === undefined) throw sessionExpired();
    // Removed before the comparison: there is one attempt (A33, A34).
    const answer = await open.takeAnswer(body.session, task);
    const shown = session.task;
    const isShown = shown?.id === task;
    const ms = shown === undefined ? 0 : parts.clock.now() - shown.at;
    const isLate = isShown && ms >= TASK_MS;
    const right = checkReply(answer ?? NO_ANSWER, body.reply) && answer !== undefined && isShown && !isLate;
    if (shown !== undefined) {
      await open.dropParts(shown, session);
      delete session.task;
      const tasks = [...session.tasks, { type: shown.type, ok: right, ms: Math.round(ms) }];
      session.tasks = tasks.slice(-TASKS_KEPT);
    }
    const call = { parts, request, siteKey, session, tick };
    return right && shown !== undefined ? await solved(call, shown, body) : failed(call, isLate);
  });
}

interface Call {
  parts: CaptchaParts;
  request: CaptchaRequest;
  siteKey: CaptchaSiteKey;
  session: SessionRecord;
  tick: Tick;
}

async function solved(
  { parts, request, siteKey, session, tick }: Call,
  shown: Shown,
  { trail }: AnswerRequest,
): Promise<Step<AnswerAnswer>> {
  const behaviour = trailScore(trail);
  const doubt = siteKey.shadow ? undefined : doubtOf(behaviour.score, trail, siteKey, session);
  if (doubt !== undefined) {
    if (doubt === "scripted") {
      session.scripted = (session.scripted ?? 0) + 1;
      raisePrice(parts, request, siteKey, session);
    } else session.retasked++;
    const reasons = [{ code: "behaviour_retask", weight: behaviour.score }, ...behaviour.reasons];
    const record = { decision: "again", tick, reasons } as const;
    parts.audit.decision(decisionRecord(parts, request, siteKey, session, record));
    return { answer: AGAIN, session: (session.scripted ?? 0) < MAX_SCRIPTED ? session : null };
  }
  const how = shown.type === "audio" ? "audio" : "task";
  const answer = await issueToken(parts, request, siteKey, session, { how, tick, level: shown.level ?? 0 });
  parts.audit.decision(decisionRecord(parts, request, siteKey, session, { decision: "token", tick }));
  return { answer, session: null };
}

/** Reports whether the steps' evidence would be decisive at the tick. @param score of the trail */
export const isScripted = (score: number, trusted: number, threshold: number): boolean =>
  trusted < 1 && score > threshold;

/** Reason for another task (C26). Nothing compensates for a script's steps; all else may be a quick person. */
function doubtOf(
  score: number,
  { trusted }: AnswerRequest["trail"],
  { threshold }: CaptchaSiteKey,
  { retasked }: SessionRecord,
): "scripted" | "pace" | undefined {
  if (isScripted(score, trusted, threshold)) return "scripted";
  return score > threshold + LENIENCE && retasked < MAX_RETASKS ? "pace" : undefined;
}

/** Charges a failure: the session's next task costs more, the network's next visitors get a higher score. */
export function raisePrice(
  { clock, rates, prices }: Pick<CaptchaParts, "clock" | "rates" | "prices">,
  { client }: CaptchaRequest,
  { id }: CaptchaSiteKey,
  session: SessionRecord,
): void {
  session.failed++;
  session.nextAt = clock.now() + waitAfter(triesOf(session));
  rates.add("task_failed", client, id);
  prices.count(id, "failures");
}

/** An expired task is not counted: people leave their desks (H12). @throws SessionEnd */
function failed({ parts, request, siteKey, session, tick }: Call, isLate: boolean): Step<AnswerAnswer> {
  if (!isLate) raisePrice(parts, request, siteKey, session);
  parts.audit.decision(decisionRecord(parts, request, siteKey, session, { decision: "again", tick }));
  if (session.failed >= MAX_WRONG) throw tooManyTries();
  return { answer: AGAIN, session };
}
