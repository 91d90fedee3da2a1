import type { CaptchaSiteKey } from "../../abi/captcha.js";
import type { CaptchaParts, CaptchaRequest, CheckReply, TaskAnswer } from "../contract.js";
import type { AnswerAnswer, AnswerRequest } from "../protocol.js";
import { trailScore } from "../score/trail.js";
import { triesOf, waitAfter } from "./cost.js";
import { decisionRecord, issueToken } from "./issue.js";
import { type OpenTasks, TASK_MS } from "./open-tasks.js";
import { sessionExpired } from "./refusal.js";
import { inSession, type SessionRecord, type Step } from "./sessions.js";

/** How much less strict the second score is than the first: a task was solved, after all (reference 4.4). */
const LENIENCE = 0.2;
/** Right answers in a row that may get another task, so that a person is not trapped. */
const MOST_RETASKS = 2;
/** Tasks that a session remembers for the audit. */
const TASKS_KEPT = 20;

const AGAIN = { outcome: "again" } as const;
/** Compared when there is no task, so that its absence takes as long as a wrong answer. No reply has a NUL. */
const NO_ANSWER: TaskAnswer = { type: "text", text: "\0" };

type Tick = NonNullable<SessionRecord["tick"]>;

export interface TaskJudge {
  parts: CaptchaParts;
  open: OpenTasks;
  checkReply: CheckReply;
}

/**
 * POST /api/v1/task/<task>/answer. Wrong, too late, of another session, unknown: one answer after the same steps (C25, 4.4).
 * @throws Refusal, StorageError
 */
export function answerTask(
  { parts, open, checkReply }: TaskJudge,
  request: CaptchaRequest,
  task: string,
  body: AnswerRequest,
): Promise<AnswerAnswer> {
  return inSession<AnswerAnswer>(parts, request, body.session, async (session, siteKey) => {
    const { tick } = session;
    if (tick === undefined) throw sessionExpired();
    // Taken out before it is compared: there is one try (A33, A34).
    const answer = await open.takeAnswer(body.session, task);
    const shown = session.task;
    const isShown = shown?.id === task;
    const ms = shown === undefined ? 0 : parts.clock.now() - shown.at;
    const isLate = isShown && ms >= TASK_MS;
    const right = checkReply(answer ?? NO_ANSWER, body.reply) && answer !== undefined && isShown && !isLate;
    if (shown !== undefined) {
      await open.dropParts(shown);
      delete session.task;
      const tasks = [...session.tasks, { type: shown.type, ok: right, ms: Math.round(ms) }];
      session.tasks = tasks.slice(-TASKS_KEPT);
    }
    const call = { parts, request, siteKey, session, tick };
    return right && shown !== undefined
      ? await solved(call, shown.type === "audio" ? "audio" : "task", body)
      : failed(call, isLate);
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
  how: "task" | "audio",
  { trail }: AnswerRequest,
): Promise<Step<AnswerAnswer>> {
  const behaviour = trailScore(trail);
  const suspect = behaviour.score > siteKey.threshold + LENIENCE && !siteKey.shadow;
  if (suspect && session.retasked < MOST_RETASKS) {
    session.retasked++;
    const reasons = [{ code: "behaviour_retask", weight: behaviour.score }, ...behaviour.reasons];
    const record = { decision: "again", tick, reasons } as const;
    parts.audit.decision(decisionRecord(parts, request, siteKey, session, record));
    return { answer: AGAIN, session };
  }
  const answer = await issueToken(parts, request, siteKey, session, { how, score: tick.score });
  parts.audit.decision(decisionRecord(parts, request, siteKey, session, { decision: "token", tick }));
  return { answer, session: null };
}

/** A task whose time was over counts for nobody: people get up from their desks (H12). */
function failed({ parts, request, siteKey, session, tick }: Call, isLate: boolean): Step<AnswerAnswer> {
  if (!isLate) {
    session.failed++;
    session.retasked = 0;
    session.nextAt = parts.clock.now() + waitAfter(triesOf(session));
    parts.rates.add("task_failed", request.client, siteKey.id);
  }
  parts.audit.decision(decisionRecord(parts, request, siteKey, session, { decision: "again", tick }));
  return { answer: AGAIN, session };
}
