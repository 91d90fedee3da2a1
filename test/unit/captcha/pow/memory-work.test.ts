import { describe, expect, it } from "vitest";
import { memoryHash } from "../../../../plugins/captcha/service/pow/argon2.js";
import {
  memoryChallenge,
  takesMemory,
  workFault,
  worthOf,
} from "../../../../plugins/captcha/service/pow/memory-work.js";
import type { PowChallenge } from "../../../../plugins/captcha/service/protocol.js";
import { solve, solveWithMemory } from "../../../support/captcha-samples.js";

/** 64 KiB in one pass: the protocol is the same, and a hash takes no time. */
const small = (bits = 2, n = 8): PowChallenge => {
  const challenge = memoryChallenge(bits, n);
  return { ...challenge, memory: { n, instead_bits: bits + 4, kib: 64, passes: 1 } };
};
const checks = { hash: memoryHash };
const other = (hash: string) => hash.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));

describe("a memory-hard hash", () => {
  // Computed with libargon2 20190702 (argon2-cffi 25.1), of the password 00000003 or 00000000 and this salt.
  const salt = "000102030405060708090a0b0c0d0e0f";
  it.each([
    [3, { kib: 19_456, passes: 2 }, "111f9ce0d458084bd2414ecd456f46f6"],
    [0, { kib: 64, passes: 1 }, "229b29bfced9eb494d1e19231254e7b3"],
  ] as const)(
    "[H43] a memory-hard hash is Argon2id of index and salt as in the reference implementation: %i",
    async (index, size, hash) => {
      expect(await memoryHash(salt, index, size)).toBe(hash);
    },
  );

  it("[H43] memory-hard work asks for 19 MiB and two passes, or four more bits of at most 18", () => {
    expect(memoryChallenge(14, 16)).toMatchObject({
      bits: 14,
      memory: { n: 16, kib: 19_456, passes: 2, instead_bits: 18 },
    });
    expect(memoryChallenge(17, 16).memory?.instead_bits).toBe(18);
  });
});

describe("an answer to memory-hard work", () => {
  it("[H43] memory-hard work is right with all hashes, or with more bits and no hash", async () => {
    const challenge = small();
    expect(await workFault(challenge, await solveWithMemory(challenge), checks)).toBeUndefined();
    expect(await workFault(challenge, solve(challenge), checks)).toBeUndefined();
    expect(worthOf(challenge)).toBe(6);
    const { memory: _, ...plain } = challenge;
    expect(worthOf(plain)).toBe(2);
  });

  it("[H43] work without hashes is wrong at the lower bits", async () => {
    const challenge = small(2);
    const { memory: _, ...puzzles } = challenge;
    // 16 puzzles of two bits pass six by chance once in 16^16.
    expect(await workFault(challenge, solve(puzzles), checks)).toBe("wrong");
  });

  it("[H43] malformed hashes and wrong puzzles are rejected before anything is hashed", async () => {
    const challenge = small();
    const right = await solveWithMemory(challenge);
    const hashes = right.memory ?? [];
    const never = {
      hash: () => {
        throw new Error("hashed");
      },
    };
    const fault = (memory: string[], answers = right.answers) =>
      workFault(challenge, { ...right, answers, memory }, never);
    expect(await fault(hashes.slice(1))).toBe("count");
    expect(await fault([...hashes, "0".repeat(32)])).toBe("count");
    expect(await fault(hashes.map((hash) => hash.toUpperCase().replace(/[0-9]/g, "A")))).toBe("range");
    expect(await fault(hashes.map(() => hashes[0] ?? ""))).toBe("distinct");
    expect(
      await fault(
        hashes,
        right.answers.map((x) => x + 1),
      ),
    ).toBe("wrong");
  });

  it("[H43] an answer without half of its hashes passes half of the time, so that skipping work gains nothing", async () => {
    const challenge = small(0);
    const right = await solveWithMemory(challenge);
    const memory = (right.memory ?? []).map((hash, i) => (i % 2 ? hash : other(hash)));
    let passed = 0;
    for (let i = 0; i < 400; i++)
      if ((await workFault(challenge, { ...right, memory }, checks)) === undefined) passed++;
    // 200 expected; the bounds are five standard deviations away.
    expect(passed).toBeGreaterThan(150);
    expect(passed).toBeLessThan(250);
  });

  it("[H43] the hashes of one challenge are wrong for another", async () => {
    const [one, two] = [small(0), small(0)];
    const { memory = [] } = await solveWithMemory(one);
    expect(await workFault(two, { ...solve(two), memory }, checks)).toBe("wrong");
  });
});

describe("choice of memory-hard work at a tick", () => {
  it("[H43] argon2id always asks for memory-hard work, adaptive only under attack with free checks, sha256 never", () => {
    const cases = (["adaptive", "argon2id", "sha256"] as const).flatMap((work) =>
      [0, 1].flatMap((attack) => [false, true].map((isBehind) => ({ work, attack, isBehind }))),
    );
    const asked = cases.filter(({ work, attack, isBehind }) => takesMemory({ work }, attack, { isBehind }));
    expect(asked.map(({ work, attack, isBehind }) => `${work} ${attack} ${isBehind}`)).toEqual([
      "adaptive 1 false",
      "argon2id 0 false",
      "argon2id 0 true",
      "argon2id 1 false",
      "argon2id 1 true",
    ]);
  });
});
