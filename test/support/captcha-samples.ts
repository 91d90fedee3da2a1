import { createHash } from "node:crypto";
import { memoryHash } from "../../plugins/captcha/service/pow/argon2.js";
import type {
  PowAnswer,
  PowChallenge,
  TaskTrail,
  Telemetry,
} from "../../plugins/captcha/service/protocol.js";

/** Telemetry of a tick by a person with a mouse. No two are equal. */
export function telemetry(
  changes: Partial<Telemetry> = {},
  activation: Partial<Telemetry["activation"]> = {},
) {
  const noise = ticks++ / 1_000;
  const full: Telemetry = {
    v: 1,
    marks: [],
    contradictions: [],
    activation: {
      kind: "mouse",
      trusted: true,
      samples: 24,
      path_ratio: 1.17 + noise,
      speed_variation: 0.6,
      turns: 3,
      pause_ms: 120,
      press_ms: 86,
      off_centre: 5.4,
      radius: 0,
      ...activation,
    },
    load_to_tick_ms: 4_200 + noise,
    hidden_at_tick: false,
    focused: true,
    visible: true,
    ...changes,
  };
  return full;
}
let ticks = 0;

export const trail = (changes: Partial<TaskTrail> = {}): TaskTrail => ({
  steps: [1_900, 2_700, 3_900],
  input: "mouse",
  trusted: 1,
  pointer_samples: 60,
  ...changes,
});

/** Solves a challenge with its memory-hard work, as a browser with WebAssembly does. */
export async function solveWithMemory(challenge: PowChallenge): Promise<PowAnswer> {
  const { memory, ...puzzles } = challenge;
  const hashes: string[] = [];
  for (let index = 0; memory !== undefined && index < memory.n; index++)
    hashes.push(await memoryHash(challenge.salt, index, memory));
  return { ...solve(puzzles), ...(memory && { memory: hashes }) };
}

/** Solves a challenge as the worker of a browser without WebAssembly does. */
export function solve({ id, salt, memory, n, ...puzzle }: PowChallenge): {
  id: string;
  answers: number[];
  ms: number;
} {
  const bits = memory?.instead_bits ?? puzzle.bits;
  const input = Buffer.alloc(21);
  input.write(salt, 0, 16, "hex");
  const answers: number[] = [];
  for (let index = 0; index < n; index++) {
    for (let x = 0; ; x++) {
      if (answers.includes(x)) continue;
      input.writeUInt8(index, 16);
      input.writeUInt32BE(x, 17);
      const head = createHash("sha256").update(input).digest().readUInt32BE(0);
      if (Math.clz32(head) < bits) continue;
      answers.push(x);
      break;
    }
  }
  return { id, answers, ms: 80 };
}

/** Claims of a token, without a check of its signature. */
export const claimsOf = (token: unknown): Record<string, unknown> =>
  JSON.parse(Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString("utf8"));

/** Marks absent telemetry. */
export const ABSENT = Symbol("absent");

/** Telemetry that leads to a task: the browser reports that it is automated. */
export const botTick = () => telemetry({ marks: ["webdriver"] });
