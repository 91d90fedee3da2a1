import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { RunningDigest } from "../../../../plugins/captcha/service/program/digest.js";
import { makeProgram } from "../../../../plugins/captcha/service/program/make.js";
import { ROW_NAMES, ROWS } from "../../../../plugins/captcha/service/program/rows/catalogue.js";
import { programSeed } from "../../../../plugins/captcha/service/program/seed.js";
import { Random } from "../../../../plugins/captcha/service/tasks/random.js";
import { type Operation, readCode } from "../../../../plugins/captcha/widget/program/code.js";

const seedOf = (text: string | number) => createHash("sha256").update(`${text}`).digest();
const read = (seed: string | number) => readCode(makeProgram(seedOf(seed)).code().toString("base64"));
const SEEDS = Array.from({ length: 300 }, (_, i) => i);

describe("[B2] a program", () => {
  it("a program has 12 to 16 of 25 rows, and all opcodes occur among 300 programs", () => {
    expect(ROW_NAMES).toHaveLength(25);
    const counts = SEEDS.map((seed) => makeProgram(seedOf(seed)).rows.length);
    expect(Math.min(...counts)).toBe(12);
    expect(Math.max(...counts)).toBe(16);
    const kinds = new Set(SEEDS.flatMap((seed) => read(seed).map(({ opcode }) => opcode)));
    expect([...kinds]).toHaveLength(23);
  });

  it("the same seed makes the same program, and each other seed other numbers, order and opcodes", () => {
    expect(makeProgram(seedOf("a")).code()).toEqual(makeProgram(seedOf("a")).code());
    const heads = new Set(SEEDS.map((seed) => makeProgram(seedOf(seed)).code().toString("hex", 0, 23)));
    expect(heads.size).toBe(SEEDS.length);
    const shapes = new Set(
      SEEDS.map((seed) =>
        read(seed)
          .map(({ opcode }) => opcode)
          .join(),
      ),
    );
    expect(shapes.size).toBe(SEEDS.length);
    const answers = new Set(SEEDS.map((seed) => JSON.stringify(makeProgram(seedOf(seed)).rows)));
    expect(answers.size).toBe(SEEDS.length);
  });

  it("two to four rows of a program take their size from an earlier answer", () => {
    for (const seed of SEEDS) {
      const links = read(seed).filter(({ opcode }) => opcode === "link");
      expect(links.length).toBeGreaterThanOrEqual(2);
      expect(links.length).toBeLessThanOrEqual(4);
      const { rows } = makeProgram(seedOf(seed));
      for (const { operands } of links) {
        const [, , row, answer] = operands as [number, string, number, number];
        expect(rows[row]?.answer[answer]).toBeGreaterThan(0);
      }
    }
  });

  it("a program has one insert, before it reads anything", () => {
    for (const seed of SEEDS.slice(0, 50)) {
      const opcodes = read(seed).map(({ opcode }) => opcode);
      expect(opcodes.filter((opcode) => opcode === "insert")).toHaveLength(1);
      expect(opcodes.indexOf("insert")).toBe(opcodes.indexOf("row") - 1);
    }
  });

  it("a program has at most 4.6 kB and uses only known tags and attributes, without addresses", () => {
    for (const seed of SEEDS) {
      expect(makeProgram(seedOf(seed)).code().length).toBeLessThan(4_600);
      const operations = read(seed);
      const of = (wanted: string) => operations.filter(({ opcode }) => opcode === wanted);
      const tags = new Set([...of("element"), ...of("svg")].map(({ operands }) => operands[0]));
      for (const tag of tags) expect(["div", "span", "p", "svg", "path"]).toContain(tag);
      const attributes = new Set(of("attribute").map(({ operands }) => operands[0]));
      for (const name of attributes) expect(["class", "d", "fill", "width", "height"]).toContain(name);
      expect(JSON.stringify(operations)).not.toMatch(/url\(|@import|https?:/);
    }
  });

  it("all expected answers are integers", () => {
    for (const name of ROW_NAMES)
      for (let i = 0; i < 200; i++) {
        const row = ROWS[name](new Random(seedOf(`${name} ${i}`)), () => "x");
        expect(row.answer.length).toBeGreaterThan(0);
        for (const value of row.answer) expect(Number.isInteger(value)).toBe(true);
      }
  });
});

describe("[B3] the seed of a program", () => {
  const owner = { session: "s", site_key: "k", hostname: "h", run: 1 };
  const secret = Buffer.alloc(32, 1);

  it("session, site key, host, run and secret each change the seed of a program", () => {
    const seeds = [
      programSeed(secret, owner),
      programSeed(Buffer.alloc(32, 2), owner),
      ...[{ session: "t" }, { site_key: "l" }, { hostname: "i" }, { run: 2 }].map((change) =>
        programSeed(secret, { ...owner, ...change }),
      ),
    ];
    expect(new Set(seeds.map((seed) => seed.toString("hex"))).size).toBe(6);
  });

  it("[W2] moving text from one field into another changes the seed", () => {
    const one = programSeed(secret, { ...owner, session: "a", site_key: "bc" });
    expect(programSeed(secret, { ...owner, session: "ab", site_key: "c" })).not.toEqual(one);
    expect(programSeed(secret, { ...owner, session: 'a","b', site_key: "c" })).not.toEqual(one);
  });
});

describe("[B3] the running digest", () => {
  const of = (...parts: number[][]) =>
    parts.reduce((digest, part) => digest.add(part), new RunningDigest([7, 9])).text;

  it("the running digest distinguishes order, boundaries and keys", () => {
    const texts = [of([1, 2]), of([2, 1]), of([1], [2]), of([2], [1]), of([1, 2], []), of(), of([0])];
    expect(new Set(texts).size).toBe(texts.length);
    expect(new RunningDigest([7, 8]).add([1, 2]).text).not.toBe(of([1, 2]));
    expect(new RunningDigest([8, 9]).add([1, 2]).text).not.toBe(of([1, 2]));
  });

  it("the running digest has no collision among a hundred thousand neighbours", () => {
    const seen = new Set<string>();
    for (let i = 0; i < 100_000; i++) seen.add(of([i & 255, i >> 8]));
    expect(seen.size).toBe(100_000);
  });
});

describe("[B2] the reader of programs", () => {
  it.each(["", "AA==", Buffer.alloc(40, 255).toString("base64")])("the reader rejects %j", (code) => {
    expect(() => readCode(code)).toThrow(RangeError);
  });

  it("the reader returns negative and large numbers", () => {
    const numbers = SEEDS.flatMap((seed) => read(seed))
      .filter(({ opcode }: Operation) => opcode === "link")
      .map(({ operands }) => operands[4] as number);
    expect(numbers.some((plus) => plus < 0)).toBe(true);
    expect(numbers.some((plus) => plus > 64)).toBe(true);
  });
});
