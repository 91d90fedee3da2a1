/**
 * What a program gets, with forged telemetry and without any, without a browser and with one that computes for it (test/support/captcha-program.ts), and what its work
 * costs. docs/captcha/threat-model.md has the figures: `node .build/test/tools/captcha-script.js`, after a build.
 */
import { solve, telemetry } from "../support/captcha-api.js";
import { programHour } from "../support/captcha-program.js";

/** Milliseconds of one thread for the work of a session, with Node's own SHA-256. */
function workMs(bits: number, times = 8): number {
  const start = performance.now();
  for (let i = 0; i < times; i++) solve({ id: "x", salt: i.toString(16).padStart(32, "0"), bits, n: 16 });
  return (performance.now() - start) / times;
}

const say = (text: string) => process.stdout.write(`${text}\n`);
for (const [what, seen, browser] of [
  ["forged telemetry", () => telemetry(), false],
  ["forged telemetry, and a browser computes", () => telemetry(), true],
  ["no telemetry", () => ({}), false],
] as const)
  for (const rate of [10, 20, 29, 60, 120]) {
    const { tokens, tasks, refused } = await programHour(rate, seen, browser);
    say(
      `${what}, ${rate} a minute from one network: ${tokens} tokens, ${tasks} tasks, ${refused} refused in an hour`,
    );
  }
say(`work of 16 puzzles of 14 bits: ${workMs(14).toFixed(0)} ms of one thread`);
