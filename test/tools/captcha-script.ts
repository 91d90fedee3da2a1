/**
 * What a program without a browser gets that says of itself what a person's browser would say: forged telemetry, the proof of work done,
 * tasks solved by ear as test/tools/captcha-attacks.ts does. What docs/captcha/threat-model.md says was measured with this:
 * `node .build/test/tools/captcha-script.js`, after a build. The clock of the service is moved, so that an hour takes seconds.
 */
import { CaptchaApi, siteKey, solve, telemetry } from "../support/captcha-api.js";
import { captchaLimits } from "../support/captcha-limits.js";

const HOUR_MS = 3_600_000;

interface Hour {
  tokens: number;
  tasks: number;
  refused: number;
}

/** One hour of one network at an even rate. */
async function hour(perMinute: number, seen: () => object): Promise<Hour> {
  const api = await CaptchaApi.open({
    direct: true,
    siteKeys: [siteKey({ powBits: 1 })],
    settings: { limits: captchaLimits({ sessions: 100_000, sessionsSoft: 30, sessionsHard: 300 }) },
  });
  const found: Hour = { tokens: 0, tasks: 0, refused: 0 };
  const pause = 60_000 / perMinute;
  for (let at = 0; at < HOUR_MS; at += pause) {
    const visitor = api.visitor();
    const begun = await visitor.begin();
    if (begun.status === 200 && visitor.pow !== undefined) {
      const pow = solve(visitor.pow);
      const { body } = await visitor.call("/score", { session: visitor.session, pow, telemetry: seen() });
      if (body["outcome"] === "token") found.tokens++;
      else found.tasks++;
    } else found.refused++;
    api.clock.advance(pause);
  }
  await api.close();
  return found;
}

/** Milliseconds of one thread for the work of a session, with Node's own SHA-256. */
function workMs(bits: number, times = 8): number {
  const start = performance.now();
  for (let i = 0; i < times; i++) solve({ id: "x", salt: i.toString(16).padStart(32, "0"), bits, n: 16 });
  return (performance.now() - start) / times;
}

const person = () => telemetry();
const nothing = () => ({});
const say = (text: string) => process.stdout.write(`${text}\n`);
for (const [what, seen] of [
  ["forged telemetry", person],
  ["no telemetry", nothing],
] as const)
  for (const rate of [10, 20, 29, 60]) {
    const { tokens, tasks, refused } = await hour(rate, seen);
    say(
      `${what}, ${rate} a minute from one network: ${tokens} tokens, ${tasks} tasks, ${refused} refused in an hour`,
    );
  }
say(`work of 16 puzzles of 14 bits: ${workMs(14).toFixed(0)} ms of one thread`);
