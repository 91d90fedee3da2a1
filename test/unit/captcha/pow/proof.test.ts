import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  expectedHashes,
  isImpossiblyFast,
  newChallenge,
  powFault,
} from "../../../../plugins/captcha/service/pow/proof.js";
import vectors from "../pow-vectors.json" with { type: "json" };

const answered = (answers: number[], id = "a") => ({ id, answers, ms: 1 });

describe("vectors that the browser's worker shares", () => {
  it.each(vectors.digests)(
    "SHA-256 of index $index and $x has the zero bits of the vector",
    ({ salt, index, x, sha256, zero_bits }) => {
      const input = Buffer.alloc(21);
      input.write(salt, 0, 16, "hex");
      input.writeUInt8(index, 16);
      input.writeUInt32BE(x, 17);
      expect(createHash("sha256").update(input).digest("hex")).toBe(sha256);
      expect(BigInt(`0x${sha256}`) >> BigInt(256 - zero_bits)).toBe(0n);
    },
  );

  it.each(vectors.challenges)(
    "the solution of $bits bits passes, and not at six bits more",
    ({ salt, bits, n, answers }) => {
      expect(powFault({ id: "a", salt, bits, n }, answered(answers))).toBeUndefined();
      expect(powFault({ id: "a", salt, bits: bits + 6, n }, answered(answers))).toBe("wrong");
    },
  );

  it("[A31] zero is accepted as an answer", () => {
    const withZero = vectors.challenges.find(({ answers, bits }) => bits === 8 && answers[0] === 0);
    if (withZero === undefined) throw new Error("no vector has the answer 0");
    expect(powFault({ id: "a", ...withZero }, answered(withZero.answers))).toBeUndefined();
  });
});

describe("rejected proofs", () => {
  const [, { salt, bits, n, answers } = { salt: "", bits: 0, n: 0, answers: [] }] = vectors.challenges;
  const challenge = { id: "a", salt, bits, n };
  const change = (index: number, x: number) => answers.map((value, i) => (i === index ? x : value));

  it("[A31] answers of another challenge, too few, too many and no answers are rejected", () => {
    expect(powFault(challenge, answered(answers, "b"))).toBe("id");
    expect(powFault(challenge, answered(answers.slice(1)))).toBe("count");
    expect(powFault(challenge, answered([...answers, 1]))).toBe("count");
    expect(powFault(challenge, answered([]))).toBe("count");
  });

  it("[A31] one answer sixteen times, a wrong one and two that changed places are rejected", () => {
    // With few bits one number may solve several puzzles, but it counts once.
    const easy = { ...challenge, bits: 0 };
    expect(powFault(easy, answered(new Array(16).fill(answers[0])))).toBe("distinct");
    expect(powFault(challenge, answered(change(3, 4_000_000_000)))).toBe("wrong");
    const [first = 0, second = 0, ...rest] = answers;
    expect(powFault(challenge, answered([second, first, ...rest]))).toBe("wrong");
  });

  it.each([-1, 2 ** 32, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("[A31] %s is no answer", (x) => {
    expect(powFault(challenge, answered(change(0, x)))).toBe("range");
  });
});

describe("a challenge", () => {
  it("a challenge is new each time, with 16 puzzles and at most 18 bits", () => {
    const [one, two] = [newChallenge(14), newChallenge(30)];
    expect(one).toMatchObject({ bits: 14, n: 16, salt: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(two.bits).toBe(18);
    expect(one.salt).not.toBe(two.salt);
    expect(one.id).not.toBe(two.id);
  });

  it("14 bits take 262,144 hashes on average, which no browser computes in six milliseconds", () => {
    expect(expectedHashes({ bits: 14, n: 16 })).toBe(262_144);
    expect(isImpossiblyFast({ bits: 14, n: 16 }, 6)).toBe(true);
    expect(isImpossiblyFast({ bits: 14, n: 16 }, 7)).toBe(false);
  });
});
