/** Verification while visitors ask for nothing but tasks; and how many of those one process serves. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CaptchaNodes } from "./captcha-race.js";
import { measure, script } from "./captcha-verify.js";
import { Visitors } from "./captcha-visitors.js";

/** Verifications a second, and visitors at once. */
const RATE = 200;
const VISITORS = 16;

/** @returns Markdown */
export async function floodReport(
  progress: (text: string) => void,
  { seconds = 5 }: { seconds?: number } = {},
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "gwc-bench-"));
  const store = { type: "lmdb", path: join(directory, "lmdb") } as const;
  const nodes = await CaptchaNodes.start(script("captcha-service"), 1, store);
  await measure(directory, nodes, 2, RATE);
  progress("without visitors");
  const alone = await measure(directory, nodes, seconds, RATE);
  progress("with visitors");
  const visitors = new Visitors(nodes.ports[0] ?? 0, VISITORS);
  const start = performance.now();
  const flooded = await measure(directory, nodes, seconds, RATE);
  const elapsed = (performance.now() - start) / 1_000;
  const { sessions, tasks, parts, other } = await visitors.stop();
  await nodes.stop();
  rmSync(directory, { recursive: true });
  const row = (name: string, { p50, p99, failed }: typeof alone, rest: string) =>
    `| ${name} | ${p50.toFixed(2)} / ${p99.toFixed(2)} | ${failed} | ${rest} |`;
  const each = (count: number) => (count / elapsed).toFixed(0);
  return [
    `| ${RATE} verifications/s | ms p50 / p99 | not verified | visitors: sessions, tasks, pictures and sounds a second |`,
    "|---|---|---|---|",
    row("alone", alone, "–"),
    row(
      `with ${VISITORS} visitors`,
      flooded,
      `${each(sessions)}, ${each(tasks)}, ${each(parts)}; ${other} refused`,
    ),
  ].join("\n");
}
