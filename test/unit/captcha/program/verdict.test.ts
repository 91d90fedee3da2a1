import { describe, expect, it } from "vitest";
import { digestOf } from "../../../../plugins/captcha/service/program/digest.js";
import { makeProgram } from "../../../../plugins/captcha/service/program/make.js";
import { programVerdict } from "../../../../plugins/captcha/service/program/verdict.js";
import type { ProgramAnswer } from "../../../../plugins/captcha/service/protocol.js";

const seed = Buffer.alloc(32, 13);
const program = makeProgram(seed);
const telemetry = { v: 1, marks: [] };
const RIGHT = program.rows.map(({ answer }) => [...answer]);
const END = 7_000;
const SAMPLES = [...program.times, END].map((at, i): [number, number] => [at, i]);

/** Verdict on an answer that is right except for a change made before its digest. */
function verdict(change: Partial<Omit<ProgramAnswer, "digest">> = {}, ms = END + 50) {
  const answer = { state: "run" as const, rows: RIGHT, samples: SAMPLES, ...change };
  return programVerdict(program, {
    answer: { ...answer, digest: digestOf(program.key, answer, telemetry) },
    telemetry,
    ms,
  });
}

/** All rows, with the first ones changed. */
const first = (count: number, other: (row: number[]) => number[] | null) =>
  RIGHT.map((row, i) => (i < count ? other(row) : row));

describe("[B5] rows of a program", () => {
  it("a program passes with all rows right and with one wrong row in ten", () => {
    expect(verdict()).toBeUndefined();
    expect(verdict({ rows: first(1, (row) => row.map((value) => value + 7)) })).toBeUndefined();
  });

  it("a program fails with two wrong rows", () => {
    expect(verdict({ rows: first(2, (row) => row.map((value) => value + 7)) })).toBe("program_wrong");
  });

  it.each([
    ["missing", () => null],
    ["empty", () => []],
    ["zero", (row: number[]) => row.map(() => 0)],
  ] as const)("a program fails with three rows that are %s", (_, other) => {
    expect(verdict({ rows: first(3, other) })).toBe("program_wrong");
  });

  it("a program passes with two rows that the browser could not answer", () => {
    expect(verdict({ rows: first(2, () => null) })).toBeUndefined();
  });

  it("the lengths in a row may differ by one, since zoom moves them, and other numbers not at all", () => {
    const near = RIGHT.map((row, i) => row.map((value) => value + (program.rows[i]?.slack ?? 0)));
    expect(verdict({ rows: near })).toBeUndefined();
    const exact = RIGHT.map((row, i) => row.map((value) => value + (program.rows[i]?.slack === 0 ? 1 : 0)));
    expect(program.rows.filter(({ slack }) => slack === 0).length).toBeGreaterThan(1);
    expect(verdict({ rows: exact })).toBe("program_wrong");
    expect(verdict({ rows: RIGHT.map((row) => row.map((value) => value + 2)) })).toBe("program_wrong");
  });

  it("a program fails with more or fewer rows, or with more numbers in a row", () => {
    expect(verdict({ rows: [...RIGHT, [1]] })).toBe("program_wrong");
    expect(verdict({ rows: RIGHT.slice(1) })).toBe("program_wrong");
    expect(verdict({ rows: RIGHT.map((row) => [...row, 1]) })).toBe("program_wrong");
  });
});

describe("[B5] a program without rows", () => {
  it("a hidden frame and an exception in the browser are program_not_run, not program_wrong", () => {
    expect(verdict({ state: "hidden", rows: [] })).toBe("program_not_run");
    expect(verdict({ state: "threw", rows: [] })).toBe("program_not_run");
  });

  it("a program without an answer is program_missing", () => {
    expect(programVerdict(program, { answer: undefined, telemetry, ms: 1 })).toBe("program_missing");
  });
});

describe("[B4] the life of a program", () => {
  it("a program lives for 60 s", () => {
    const samples: [number, number][] = [
      ...program.times.map((at): [number, number] => [at, 0]),
      [60_000, 3],
    ];
    expect(verdict({ samples }, 60_000)).toBeUndefined();
    expect(verdict({ samples }, 60_001)).toBe("program_late");
  });
});

describe("[B3] binding of an answer to its session", () => {
  it("the session's key signs samples, rows, state and telemetry", () => {
    const answer = { state: "run" as const, rows: RIGHT, samples: SAMPLES };
    const ms = END + 50;
    const digest = digestOf(program.key, answer, telemetry);
    const of = (changed: Partial<ProgramAnswer>, seen: unknown = telemetry) =>
      programVerdict(program, { answer: { ...answer, digest, ...changed }, telemetry: seen, ms });
    expect(of({})).toBeUndefined();
    expect(of({}, { ...telemetry, v: 2 })).toBe("program_unbound");
    expect(of({ samples: SAMPLES.map(([at, moves]) => [at, moves + 1]) })).toBe("program_unbound");
    expect(of({ rows: RIGHT.map((row) => row.map((value) => value + 1)) })).toBe("program_unbound");
    expect(of({ state: "hidden" })).toBe("program_unbound");
    const other = makeProgram(Buffer.alloc(32, 6));
    expect(programVerdict(other, { answer: { ...answer, digest }, telemetry, ms })).toBe("program_unbound");
  });

  it("an answer with too few, too many, early or unordered samples is program_unbound", () => {
    expect(verdict({ samples: SAMPLES.slice(1) })).toBe("program_unbound");
    expect(verdict({ samples: [SAMPLES[0] as [number, number], ...SAMPLES] })).toBe("program_unbound");
    expect(verdict({ samples: SAMPLES.map(([at, moves], i) => [i === 1 ? at - 900 : at, moves]) })).toBe(
      "program_unbound",
    );
    expect(verdict({ samples: SAMPLES.map(([at], i) => [at, 9 - i]) })).toBe("program_unbound");
  });

  it("a sample from the future makes an answer program_unbound", () => {
    expect(verdict({}, END - 2_000)).toBe("program_unbound");
  });

  it("coarse clocks and late timers pass, as in browsers that resist fingerprinting and in hidden pages", () => {
    const coarse = SAMPLES.map(([at, moves]): [number, number] => [Math.floor(at / 100) * 100, moves]);
    expect(verdict({ samples: coarse })).toBeUndefined();
    const late = SAMPLES.map(([at, moves], i): [number, number] => [
      i < SAMPLES.length - 1 ? END - 5 : at,
      moves,
    ]);
    expect(verdict({ samples: late })).toBeUndefined();
  });

  it("a tick at once needs no sample but its own", () => {
    expect(verdict({ samples: [[40, 0]] }, 60)).toBeUndefined();
  });
});
