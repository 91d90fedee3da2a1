import { describe, expect, it } from "vitest";
import { digestOf } from "../../../../plugins/captcha/service/program/digest.js";
import { makeProgram } from "../../../../plugins/captcha/service/program/make.js";
import { programVerdict } from "../../../../plugins/captcha/service/program/verdict.js";
import type { ProgramAnswer } from "../../../../plugins/captcha/service/protocol.js";

const seed = Buffer.alloc(32, 5);
const program = makeProgram(seed);
const telemetry = { v: 1, marks: [] };
const RIGHT = program.rows.map(({ answer }) => [...answer]);
const END = 7_000;
const SAMPLES = [...program.times, END].map((at, i): [number, number] => [at, i]);

/** The verdict on an answer that is right but for a change made before its digest. */
function verdict(change: Partial<Omit<ProgramAnswer, "digest">> = {}, ms = END + 50) {
  const answer = { state: "run" as const, rows: RIGHT, samples: SAMPLES, ...change };
  return programVerdict(program, {
    answer: { ...answer, digest: digestOf(program.key, answer, telemetry) },
    telemetry,
    ms,
  });
}

/** The first rows in another way. */
const first = (count: number, other: (row: number[]) => number[] | null) =>
  RIGHT.map((row, i) => (i < count ? other(row) : row));

describe("[B5] rows of a program", () => {
  it("pass when all are right, and when one in ten is wrong", () => {
    expect(verdict()).toBeUndefined();
    expect(verdict({ rows: first(1, (row) => row.map((value) => value + 7)) })).toBeUndefined();
  });

  it("fail below nine in ten", () => {
    expect(verdict({ rows: first(2, (row) => row.map((value) => value + 7)) })).toBe("program_wrong");
  });

  it.each([
    ["missing", () => null],
    ["empty", () => []],
    ["zero", (row: number[]) => row.map(() => 0)],
  ] as const)("fail with three that are %s", (_, other) => {
    expect(verdict({ rows: first(3, other) })).toBe("program_wrong");
  });

  it("pass with two that the browser could not answer", () => {
    expect(verdict({ rows: first(2, () => null) })).toBeUndefined();
  });

  it("may differ by one where they are lengths, since zoom moves lengths, and by nothing else", () => {
    const near = RIGHT.map((row, i) => row.map((value) => value + (program.rows[i]?.slack ?? 0)));
    expect(verdict({ rows: near })).toBeUndefined();
    const exact = RIGHT.map((row, i) => row.map((value) => value + (program.rows[i]?.slack === 0 ? 1 : 0)));
    expect(program.rows.filter(({ slack }) => slack === 0).length).toBeGreaterThan(1);
    expect(verdict({ rows: exact })).toBe("program_wrong");
    expect(verdict({ rows: RIGHT.map((row) => row.map((value) => value + 2)) })).toBe("program_wrong");
  });

  it("fail when there are more or fewer of them, or of their numbers", () => {
    expect(verdict({ rows: [...RIGHT, [1]] })).toBe("program_wrong");
    expect(verdict({ rows: RIGHT.slice(1) })).toBe("program_wrong");
    expect(verdict({ rows: RIGHT.map((row) => [...row, 1]) })).toBe("program_wrong");
  });
});

describe("[B5] a program without rows", () => {
  it("was not run where the frame was hidden or the browser threw: that is weak, and not wrong", () => {
    expect(verdict({ state: "hidden", rows: [] })).toBe("program_not_run");
    expect(verdict({ state: "threw", rows: [] })).toBe("program_not_run");
  });

  it("is missing without an answer", () => {
    expect(programVerdict(program, { answer: undefined, telemetry, ms: 1 })).toBe("program_missing");
  });
});

describe("[B4] the life of a program", () => {
  it("is 60 s", () => {
    const samples: [number, number][] = [
      ...program.times.map((at): [number, number] => [at, 0]),
      [60_000, 3],
    ];
    expect(verdict({ samples }, 60_000)).toBeUndefined();
    expect(verdict({ samples }, 60_001)).toBe("program_late");
  });
});

describe("[B3] what binds an answer to its session", () => {
  it("is a digest with the session's key over samples, rows, state and telemetry", () => {
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

  it("is that samples come when the seed says: none too few, too many, early or out of order", () => {
    expect(verdict({ samples: SAMPLES.slice(1) })).toBe("program_unbound");
    expect(verdict({ samples: [SAMPLES[0] as [number, number], ...SAMPLES] })).toBe("program_unbound");
    expect(verdict({ samples: SAMPLES.map(([at, moves], i) => [i === 1 ? at - 900 : at, moves]) })).toBe(
      "program_unbound",
    );
    expect(verdict({ samples: SAMPLES.map(([at], i) => [at, 9 - i]) })).toBe("program_unbound");
  });

  it("is that no sample is of a time that has not been", () => {
    expect(verdict({}, END - 2_000)).toBe("program_unbound");
  });

  it("lets clocks be coarse and timers late, as in browsers that resist fingerprinting and in hidden pages", () => {
    const coarse = SAMPLES.map(([at, moves]): [number, number] => [Math.floor(at / 100) * 100, moves]);
    expect(verdict({ samples: coarse })).toBeUndefined();
    const late = SAMPLES.map(([at, moves], i): [number, number] => [
      i < SAMPLES.length - 1 ? END - 5 : at,
      moves,
    ]);
    expect(verdict({ samples: late })).toBeUndefined();
  });

  it("asks a tick that comes at once for no sample but its own", () => {
    expect(verdict({ samples: [[40, 0]] }, 60)).toBeUndefined();
  });
});
