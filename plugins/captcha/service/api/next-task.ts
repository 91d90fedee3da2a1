import type { TaskType } from "../../captcha-table.js";
import type { PreparedTask, TaskAnswer } from "../contract.js";
import { workFault, worthOf } from "../pow/memory-work.js";
import { newChallenge } from "../pow/proof.js";
import type { NextAnswer, NextRequest, PowAnswer, TaskShown } from "../protocol.js";
import { pressureOf } from "../score/network-signals.js";
import { testTask } from "../tasks/tasks.js";
import { bitsFor, triesOf } from "./cost.js";
import { dropTask, putTask, TASK_MS } from "./open-tasks.js";
import { busy, invalidRequest, sessionExpired } from "./refusal.js";
import { checkRoom, mayWaitInsteadOfTask, take, waitMs } from "./sale.js";
import type { SessionCall, Step } from "./sessions.js";
import { levelNow, nextType, substitutes } from "./task-choice.js";

const TEST_TASK = "sp-test-task";
const TEST_TEXT = "TTTTT";

/**
 * Replaces the task for `sp-test-task`, so that an integration test can solve it (H10). Shapes: always the
 * same pictures, the first three cells in order. Others have real pictures and a fixed answer: rings as they
 * are; T for each letter; two for each group of sounds.
 */
function shownTask({ parts, siteKey }: SessionCall, made: PreparedTask): PreparedTask {
  if (siteKey.id !== TEST_TASK || !parts.configuration().settings.testing) return made;
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

/** POST /api/v1/task/next: rising price, unlimited number (C27). @throws Refusal, StorageError */
export async function nextTask(
  call: SessionCall,
  body: NextRequest,
  mostBits: number,
): Promise<Step<NextAnswer>> {
  const { parts, siteKey, session } = call;
  if (session.tick === undefined) throw sessionExpired();
  const type = nextType(siteKey, session, body.type);
  if (type === undefined) throw invalidRequest();
  if (body.type !== undefined) session.chosen = body.type;
  if (body.pow !== undefined) await pay(call, body.pow);
  // Checked before the work is spent and the shown task is dropped.
  if (type === "audio") checkRoom(call, type);
  await leave(call);
  const now = parts.clock.now();
  const price = Math.min(mostBits, priceOf(call, type));
  if (price > session.paid) {
    const pow = newChallenge(price);
    session.pow = { ...pow, issued: now };
    return { answer: { outcome: "pow", pow } };
  }
  // Checked after the work, so that the browser can work during the wait.
  if (session.nextAt > now) return { answer: { outcome: "wait", wait_ms: session.nextAt - now } };
  return { answer: await show(call, type) };
}

/** Takes the challenge out of the session: work counts once, wrong work counts for nothing. */
export async function pay({ parts, session }: SessionCall, answer: PowAnswer): Promise<void> {
  const { pow } = session;
  delete session.pow;
  if (pow !== undefined && (await workFault(pow, answer, parts.memory).catch(busy)) === undefined)
    session.paid = worthOf(pow);
}

/** A dropped task counts as skipped, unless it had expired (H12). */
export async function leave(call: SessionCall): Promise<void> {
  const { parts, session } = call;
  const { task } = session;
  if (task === undefined) return;
  delete session.task;
  if (parts.clock.now() - task.at < TASK_MS) session.skipped++;
  await dropTask(call, task);
}

/** 0 if the work at the session's start is sufficient. */
function priceOf({ parts, request, siteKey, session }: SessionCall, type: TaskType): number {
  const pressure = pressureOf(parts.rates, request.client, parts.configuration().settings.limits);
  const tries = triesOf(session);
  const bits = bitsFor(siteKey.powBits, { tries, pressure, type });
  return type === "audio" || tries >= 3 || pressure > 0 ? bits : 0;
}

async function show(call: SessionCall, type: TaskType): Promise<TaskShown> {
  const { parts, siteKey, session } = call;
  if (type === "audio") take(call, type);
  const level = levelNow(call);
  const made = await parts.tasks.next(type, level, substitutes(siteKey, type)).catch(busy);
  const prepared = shownTask(call, made);
  session.task = { ...(await putTask(call, prepared)), level };
  session.paid = 0;
  return {
    outcome: "task",
    task: session.task.id,
    type: prepared.type,
    parts: prepared.parts.map(({ body: _body, ...part }) => part),
    count: prepared.count,
    ttl_ms: TASK_MS,
    types: siteKey.taskTypes,
    ...(mayWaitInsteadOfTask(call) ? { patience_ms: waitMs(call, level) } : {}),
  };
}
