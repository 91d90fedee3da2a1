import { digestOf } from "../../plugins/captcha/service/program/digest.js";
import { makeProgram } from "../../plugins/captcha/service/program/make.js";
import { type ProgramOwner, programSeed } from "../../plugins/captcha/service/program/seed.js";
import type { ProgramAnswer } from "../../plugins/captcha/service/protocol.js";

export interface ProgramRun extends ProgramOwner {
  /** The service's secret "program", without which only a browser can compute the answers. */
  secret: Buffer;
  /** Telemetry in the form in which it is sent. */
  telemetry: unknown;
  /** Time in ms from the program's arrival to the tick. */
  ms: number;
  /** Changes the browser's answer; the digest is computed from the changed one. */
  change?: (answer: Omit<ProgramAnswer, "digest">) => Omit<ProgramAnswer, "digest">;
}

/** Computes the answer of a browser to a session's program, for tests without a browser. */
export function runAsBrowser({ secret, telemetry, ms, change = (answer) => answer, ...owner }: ProgramRun) {
  const { times, key, rows } = makeProgram(programSeed(secret, owner));
  const due = times.filter((time) => time <= ms);
  const answer = change({
    state: "run",
    rows: rows.map(({ answer }) => [...answer]),
    samples: [...due, Math.round(ms)].map((at, i): [number, number] => [at, 4 * i]),
  });
  return { ...answer, digest: digestOf(key, answer, telemetry) };
}
