import { digestOf } from "../../plugins/captcha/service/program/digest.js";
import { makeProgram } from "../../plugins/captcha/service/program/make.js";
import { type ProgramOwner, programSeed } from "../../plugins/captcha/service/program/seed.js";
import type { ProgramAnswer } from "../../plugins/captcha/service/protocol.js";

export interface ProgramRun extends ProgramOwner {
  /** The service's secret "program": only who knows it knows the answers without a browser. */
  secret: Buffer;
  /** As it is sent. */
  telemetry: unknown;
  /** Milliseconds from the program's arrival to the tick. */
  ms: number;
  /** Changes what a browser would say; the digest is that of what is said then. */
  change?: (answer: Omit<ProgramAnswer, "digest">) => Omit<ProgramAnswer, "digest">;
}

/** What a browser answers to a session's program, for tests that have none. */
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
