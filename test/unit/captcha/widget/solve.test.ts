import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { powFault } from "../../../../plugins/captcha/service/pow/proof.js";
import { solve } from "../../../../plugins/captcha/widget/pow/solve.js";

const leadingZeros = (salt: string, index: number, x: number): number => {
  const input = Buffer.alloc(21);
  input.write(salt, 0, 16, "hex");
  input[16] = index;
  input.writeUInt32BE(x, 17);
  return Math.clz32(createHash("sha256").update(input).digest().readUInt32BE(0));
};

describe("the browser's proof of work", () => {
  it.each(["00".repeat(16), "ff".repeat(16), "0123456789abcdeffedcba9876543210"])(
    "the browser finds a proof for the salt %s that the service accepts",
    (salt) => {
      const challenge = { id: "0123456789abcdefghijkl", salt, bits: 9, n: 16 };
      const answers = solve(challenge);
      expect(powFault(challenge, { id: challenge.id, answers, ms: 1 })).toBeUndefined();
      for (const [index, x] of answers.entries())
        expect(leadingZeros(salt, index, x)).toBeGreaterThanOrEqual(9);
    },
  );

  it("the solver takes the first number that fits, also zero", () => {
    expect(solve({ salt: "00".repeat(16), bits: 0, n: 3 })).toEqual([0, 1, 2]);
  });

  it("the solver agrees with the vectors of the service", () => {
    const { challenges } = JSON.parse(
      readFileSync(new URL("../pow-vectors.json", import.meta.url), "utf8"),
    ) as {
      challenges: { salt: string; bits: number; n: number; answers: number[] }[];
    };
    expect(challenges.length).toBeGreaterThan(0);
    for (const { answers, ...challenge } of challenges) {
      const solved = solve(challenge);
      expect(solved).toHaveLength(answers.length);
      for (const found of [solved, answers])
        expect(found.every((x, index) => leadingZeros(challenge.salt, index, x) >= challenge.bits)).toBe(
          true,
        );
    }
  });

  it.each([{ salt: "zz".repeat(16) }, { salt: "00" }, { bits: 40 }, { bits: -1 }, { bits: Number.NaN }])(
    "the solver rejects a challenge with %j instead of searching forever",
    (broken) => {
      expect(() => solve({ salt: "00".repeat(16), bits: 4, n: 1, ...broken })).toThrow(RangeError);
    },
  );
});
