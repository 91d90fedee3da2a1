/** What one visitor costs: processor time of a session and of a tick, memory of an open session and of a task. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { TaskType } from "../../plugins/captcha/captcha-table.js";
import type { TaskSource } from "../../plugins/captcha/service/contract.js";
import { startTasks } from "../../plugins/captcha/service/tasks/tasks.js";
import { CaptchaApi, siteKey, telemetry, type Visitor } from "../support/captcha-api.js";
import { captchaLimits } from "../support/captcha-limits.js";

const SESSIONS = 20_000;
/** Of each type. */
const TASKS = 20;
/** Puzzles of no bits are solved by any distinct numbers: the visitor's work is not the service's. */
const ANSWERS = Array.from({ length: 16 }, (_, i) => i);
const WORKER = new URL("../../plugins/captcha/service/tasks/worker-thread.js", import.meta.url);

/** @returns Markdown */
export async function sessionsReport(progress: (text: string) => void): Promise<string> {
  const settings = {
    limits: captchaLimits({ sessions: 10_000_000, claims: 1_000, sessionsSoft: 1e9, sessionsHard: 1e9 }),
  };
  const api = await CaptchaApi.open({ direct: true, settings, siteKeys: [siteKey({ powBits: 0 })] });
  const visitors = Array.from({ length: SESSIONS }, () => api.visitor());
  progress("sessions");
  const before = memory();
  const begin = await cpuOf(visitors, (visitor) => visitor.begin());
  const open = (memory() - before) / SESSIONS;
  progress("ticks");
  const tick = await cpuOf(visitors, (visitor) => tickOf(visitor, telemetry()));
  const rows = [
    `| session: CPU, memory while it is open | ${begin.toFixed(0)} µs, ${open.toFixed(0)} bytes |`,
    `| tick with a token: CPU | ${tick.toFixed(0)} µs |`,
  ];
  const source = startTasks({ script: WORKER });
  for (const type of TYPES) {
    progress(type);
    let bytes = 0;
    for (let i = 0; i < TASKS; i++) bytes += await waitingBytes(source, type);
    const kilobytes = (bytes / TASKS / 1_024).toFixed(0);
    rows.push(`| task ${type}: memory until its pictures or sound are fetched | ${kilobytes} kB |`);
  }
  await source.close();
  await api.close();
  return ["| | |", "|---|---|", ...rows].join("\n");
}

const TYPES: readonly TaskType[] = ["shapes", "rings", "text", "audio"];

const tickOf = (visitor: Visitor, seen: object) =>
  visitor.call("/score", {
    session: visitor.session,
    pow: { id: visitor.pow?.id, answers: ANSWERS, ms: 80 },
    telemetry: seen,
  });

/** What the store holds of a task's parts: base64. */
async function waitingBytes(source: TaskSource, type: TaskType): Promise<number> {
  for (;;) {
    // The worker may not have one ready.
    const task = await source.next(type, 1, []).catch(() => undefined);
    if (task === undefined) await new Promise((resolve) => setTimeout(resolve, 200));
    else return task.parts.reduce((sum, { body }) => sum + Math.ceil(body.length / 3) * 4, 0);
  }
}

/** Microseconds each, after a tenth that warms up. The calls' own JSON is in it. */
async function cpuOf(
  visitors: readonly Visitor[],
  use: (visitor: Visitor) => Promise<unknown>,
): Promise<number> {
  const warm = Math.floor(visitors.length / 10);
  for (const visitor of visitors.slice(0, warm)) await use(visitor);
  const start = process.cpuUsage();
  for (const visitor of visitors.slice(warm)) await use(visitor);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / (visitors.length - warm);
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function memory(): number {
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
