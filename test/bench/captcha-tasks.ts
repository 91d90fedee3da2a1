/** Drawing tasks: how long it takes, how many a core draws, how many bytes they are, and what a flood of them does to the event loop. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { TASK_TYPES } from "../../plugins/captcha/captcha-table.js";
import { newTask } from "../../plugins/captcha/service/tasks/render.js";
import { startTasks } from "../../plugins/captcha/service/tasks/tasks.js";

const middle = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** @returns Markdown */
export async function tasksReport(
  progress: (text: string) => void,
  { tasks = 300, seconds = 5 }: { tasks?: number; seconds?: number } = {},
): Promise<string> {
  const rows = TASK_TYPES.map((type) => {
    progress(`tasks: ${type}`);
    for (let i = 0; i < 40; i++) newTask(type, 0);
    const walls: number[] = [];
    const bytes = new Map<string, number[]>();
    const before = process.cpuUsage();
    for (let i = 0; i < tasks; i++) {
      const begin = performance.now();
      const { media } = newTask(type, 0);
      walls.push(performance.now() - begin);
      for (const part of media) bytes.set(part.name, [...(bytes.get(part.name) ?? []), part.bytes.length]);
    }
    const { user, system } = process.cpuUsage(before);
    const cpu = (user + system) / 1000 / tasks;
    const sizes = [...bytes].map(
      ([name, all]) =>
        `${name} ${(middle(all, 0.5) / 1000).toFixed(1)} (${(middle(all, 1) / 1000).toFixed(1)})`,
    );
    const times = `${middle(walls, 0.5).toFixed(1)} / ${middle(walls, 0.99).toFixed(1)}`;
    return `| ${type} | ${cpu.toFixed(1)} | ${(1000 / cpu).toFixed(0)} | ${times} | ${sizes.join(", ")} |`;
  });
  return [
    "| task | CPU ms | tasks a second and core | ms p50 / p99 | kB of each part, median (most) |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    ...(await loopReport(progress, seconds)),
  ].join("\n");
}

/** The delay of a process that hands tasks out as fast as they are drawn, against one that does nothing. */
async function loopReport(progress: (text: string) => void, seconds: number): Promise<string[]> {
  const source = startTasks();
  await source.next("shapes", 0);
  const rows: string[] = [];
  for (const asking of [0, 64]) {
    progress(`tasks: ${asking} visitors`);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const end = performance.now() + seconds * 1000;
    let given = 0;
    delay.enable();
    const visitor = async (_: unknown, i: number) => {
      while (performance.now() < end)
        await source.next(TASK_TYPES[i % 3] ?? "shapes", 0).then(
          () => given++,
          () => undefined,
        );
    };
    await Promise.all([
      new Promise((resolve) => setTimeout(resolve, seconds * 1000)),
      ...Array.from({ length: asking }, visitor),
    ]);
    delay.disable();
    const [p50, p99] = [delay.percentile(50), delay.percentile(99)].map((ns) => (ns / 1e6).toFixed(2));
    rows.push(`| ${asking || "none"} | ${(given / seconds).toFixed(0)} | ${p50} / ${p99} |`);
  }
  await source.close();
  return [
    "| visitors that ask without a pause | tasks a second | event loop delay, ms p50 / p99 |",
    "|---|---|---|",
    ...rows,
  ];
}
