import type { CaptchaSiteKey, TaskType } from "../../captcha-table.js";
import type { CaptchaParts, CaptchaRequest, PreparedTask, TaskAnswer } from "../contract.js";
import { workFault, worthOf } from "../pow/memory-work.js";
import { newChallenge } from "../pow/proof.js";
import type { NextAnswer, NextRequest, PowAnswer, TaskShown } from "../protocol.js";
import { pressureOf } from "../score/network-signals.js";
import { testTask } from "../tasks/tasks.js";
import { bitsFor, triesOf } from "./cost.js";
import { type OpenTasks, TASK_MS } from "./open-tasks.js";
import { isPatient, waitOf } from "./patience-terms.js";
import { busy, invalidRequest, sessionExpired } from "./refusal.js";
import { checkRoom, take } from "./sale.js";
import { inSession, type SessionRecord } from "./sessions.js";
import { levelNow, nextType, substitutes } from "./task-choice.js";

const TEST_TASK = "sp-test-task";
const TEST_TEXT = "TTTTT";

/**
 * Replaces the task for `sp-test-task`, so that an integration test can solve it (H10). Shapes: always the
 * same pictures, the first three cells in order. Others have real pictures and a fixed answer: rings as they
 * are; T for each letter; two for each group of sounds.
 */
function shownTask({ configuration }: CaptchaParts, siteKey: string, made: PreparedTask): PreparedTask {
  if (siteKey !== TEST_TASK || !configuration().settings.testing) return made;
  return made.type === "shapes" ? testTask() : { ...made, answer: knownAnswer(made) };
}

function knownAnswer({ answer, count }: PreparedTask): TaskAnswer {
  switch (answer.type) {
    case "shapes":
      return answer;
    case "rings":
      return { type: "rings", angles: new Array<number>(count).fill(0) };
    case "text":
      return { type: "text", text: TEST_TEXT.slice(0, count) };
    case "audio":
      return { type: "audio", groups: new Array<number>(count).fill(2) };
  }
}

export interface TaskGiver {
  parts: CaptchaParts;
  open: OpenTasks;
  mostBits: number;
}

/** POST /api/v1/task/next: rising price, unlimited number (C27). @throws Refusal, StorageError */
export function nextTask(
  { parts, open, mostBits }: TaskGiver,
  request: CaptchaRequest,
  body: NextRequest,
): Promise<NextAnswer> {
  return inSession<NextAnswer>(parts, request, body.session, async (session, siteKey) => {
    if (session.tick === undefined) throw sessionExpired();
    const type = nextType(siteKey, session, body.type);
    if (type === undefined) throw invalidRequest();
    if (body.type !== undefined) session.chosen = body.type;
    if (body.pow !== undefined) await pay(parts, session, body.pow);
    // Checked before the work is spent and the shown task is dropped.
    if (type === "audio") checkRoom(parts, request, siteKey, type);
    await leave(parts, open, body.session, session);
    const now = parts.clock.now();
    const price = Math.min(mostBits, priceOf(parts, request, siteKey, session, type));
    if (price > session.paid) {
      const pow = newChallenge(price);
      session.pow = { ...pow, issued: now };
      return { answer: { outcome: "pow", pow }, session };
    }
    // Checked after the work, so that the browser can work during the wait.
    if (session.nextAt > now) return { answer: { outcome: "wait", wait_ms: session.nextAt - now }, session };
    return {
      answer: await show(parts, open, request, { id: body.session, session, siteKey, type }),
      session,
    };
  });
}

/** Takes the challenge out of the session: work counts once, wrong work counts for nothing. */
export async function pay(
  { memory }: Pick<CaptchaParts, "memory">,
  session: SessionRecord,
  answer: PowAnswer,
): Promise<void> {
  const { pow } = session;
  delete session.pow;
  if (pow !== undefined && (await workFault(pow, answer, memory).catch(busy)) === undefined)
    session.paid = worthOf(pow);
}

/** A dropped task counts as skipped, unless it had expired (H12). */
export async function leave(
  { clock }: Pick<CaptchaParts, "clock">,
  open: OpenTasks,
  id: string,
  session: SessionRecord,
): Promise<void> {
  const { task } = session;
  if (task === undefined) return;
  delete session.task;
  if (clock.now() - task.at < TASK_MS) session.skipped++;
  await open.drop(id, task, session);
}

/** 0 if the work at the session's start is sufficient. */
function priceOf(
  { rates, configuration }: CaptchaParts,
  { client }: CaptchaRequest,
  { powBits }: CaptchaSiteKey,
  session: SessionRecord,
  type: TaskType,
): number {
  const pressure = pressureOf(rates, client, configuration().settings.limits);
  const tries = triesOf(session);
  const bits = bitsFor(powBits, { tries, pressure, type });
  return type === "audio" || tries >= 3 || pressure > 0 ? bits : 0;
}

async function show(
  parts: CaptchaParts,
  open: OpenTasks,
  request: CaptchaRequest,
  {
    id,
    session,
    siteKey,
    type,
  }: {
    id: string;
    session: SessionRecord;
    siteKey: CaptchaSiteKey;
    type: TaskType;
  },
): Promise<TaskShown> {
  const { tasks } = parts;
  if (type === "audio") take(parts, request, siteKey, type);
  const level = levelNow(parts, request, session);
  const made = await tasks.next(type, level, substitutes(siteKey, type)).catch(busy);
  const prepared = shownTask(parts, siteKey.id, made);
  session.task = { ...(await open.put(id, session, prepared)), level };
  session.paid = 0;
  return {
    outcome: "task",
    task: session.task.id,
    type: prepared.type,
    parts: prepared.parts.map(({ body: _body, ...part }) => part),
    count: prepared.count,
    ttl_ms: TASK_MS,
    types: siteKey.taskTypes,
    ...(isPatient(parts, siteKey, session) ? { patience_ms: waitOf(parts, siteKey, level) } : {}),
  };
}
