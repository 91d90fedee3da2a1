import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CaptchaSettings, StorageError } from "../../plugins/captcha/service/contract.js";
import type { CaptchaStores } from "../../plugins/captcha/service/store/open.js";
import { captchaLimits, place } from "./captcha-limits.js";

export interface StoreKind {
  /** Opens the store in two nodes. */
  open(): Promise<[CaptchaStores, CaptchaStores]>;
  /** Lets `ms` pass for the store. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
  sharesStates: boolean;
  /** Reports entries and bytes of each kind; the accounts of Redis are its own. */
  countsUsage: boolean;
  /** Opens another store of this kind with these limits; `close` closes it too. */
  small(limits: CaptchaSettings["limits"]): Promise<CaptchaStores>;
  /** Opens a full store, on which a further claim and put fail; undefined if another test covers it. */
  full?: () => Promise<CaptchaStores>;
}

/** In ms. A store with a real clock stays far from any expiry, even on a slow machine. */
const HOUR = 3_600_000;

/** Contract of all stores of the captcha (reference 5.3): memory, LMDB and Redis. */
export function storeSuite(name: string, kind: StoreKind): void {
  describe(`the ${name} store`, () => {
    let first: CaptchaStores;
    let second: CaptchaStores;
    beforeAll(async () => {
      [first, second] = await kind.open();
    });
    afterAll(() => kind.close());

    it("the store gives a claim to the first caller and its value to later ones", async () => {
      expect(await first.claims.claim("a", 60_000, "mine")).toEqual({ won: true });
      expect(await second.claims.claim("a", 60_000, "theirs")).toEqual({ won: false, value: "mine" });
      expect(await first.claims.claim("a", 60_000, "mine")).toEqual({ won: false, value: "mine" });
      expect(await second.claims.claim("b", 60_000, "")).toEqual({ won: true });
      expect(await first.claims.claim("b", 60_000, "")).toEqual({ won: false, value: "" });
    });

    it("[A2] the store gives a claim to one of a hundred simultaneous callers, also with equal values", async () => {
      for (let round = 0; round < 5; round++) {
        const tried = Array.from({ length: 100 }, (_, i) =>
          (i % 2 === 0 ? first : second).claims.claim(`race-${round}`, 60_000, "same"),
        );
        const won = (await Promise.all(tried)).filter((claim) => claim.won);
        expect(won).toHaveLength(1);
      }
    });

    it("the store distinguishes claims by long, empty and special ids", async () => {
      const ids = [
        "x".repeat(3_000),
        `${"x".repeat(3_000)}y`,
        "",
        " ",
        "\0",
        "ключ",
        "{spc}:epoch",
        "__proto__",
      ];
      for (const id of ids) expect(await first.claims.claim(id, 60_000, "v")).toEqual({ won: true });
      for (const id of ids)
        expect(await second.claims.claim(id, 60_000, "w")).toEqual({ won: false, value: "v" });
    });

    it("[W1] the store expires a claim after its time and not before", async () => {
      await first.claims.claim("short", 2 * HOUR, "first");
      await kind.pass(HOUR);
      expect(await second.claims.claim("short", 2 * HOUR, "second")).toMatchObject({ won: false });
      await kind.pass(1.1 * HOUR);
      expect(await second.claims.claim("short", 60 * HOUR, "third")).toEqual({ won: true });
      await kind.pass(1.1 * HOUR);
      expect(await first.claims.claim("short", 60_000, "fourth")).toEqual({ won: false, value: "third" });
    });

    it("the store returns an entry as plain JSON until it expires", async () => {
      const value = { a: [1, "ю", null], b: { c: true } };
      await first.states.put("s1", value, 2 * HOUR, place());
      value.a.push(2);
      expect(await first.states.get("s1")).toEqual({ a: [1, "ю", null], b: { c: true } });
      await first.states.put("s1", 0.5, 2 * HOUR, place());
      expect(await first.states.get("s1")).toBe(0.5);
      await kind.pass(2.1 * HOUR);
      expect(await first.states.get("s1")).toBeUndefined();
      expect(await first.states.take("s1")).toBeUndefined();
      expect(await first.states.get("never")).toBeUndefined();
    });

    it("the store gives an entry that is taken to only one caller", async () => {
      const other = kind.sharesStates ? second : first;
      for (let round = 0; round < 5; round++) {
        await first.states.put("task", { round }, 60_000, place());
        const tried = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? first : other).states.take("task"));
        const got = (await Promise.all(tried)).filter((value) => value !== undefined);
        expect(got).toEqual([{ round }]);
      }
    });

    it("[A22] the store counts the bytes of a replaced entry once and not after it is taken", async () => {
      const { states } = await kind.small(captchaLimits({ answerBytes: 20_000 }));
      await states.put("kept", "x".repeat(5_000), 60_000, place("answer"));
      for (let i = 0; i < 10; i++) {
        await states.put("replaced", `${i}`.repeat(5_000), 60_000, place("answer"));
        await states.put("taken", "y".repeat(5_000), 60_000, place("answer"));
        expect(await states.take("taken")).toBe("y".repeat(5_000));
      }
      expect(await states.get("kept")).toHaveLength(5_000);
      expect(await states.get("replaced")).toBe("9".repeat(5_000));
      expect(states.usage().answer.evicted).toBe(0);
    });

    it("the store counts entries and bytes of each kind separately, except in Redis", async () => {
      const { states } = await kind.small(captchaLimits());
      await states.put("k1", "x".repeat(500), 60_000, place("session"));
      await states.put("k1", "y".repeat(500), 60_000, place("session"));
      await states.put("k2", "z".repeat(1_500), 60_000, place("picture"));
      const { session, picture, answer } = states.usage();
      const known = kind.countsUsage;
      expect([session.entries, picture.entries, answer.entries]).toEqual(
        known ? [1, 1, 0] : [undefined, undefined, undefined],
      );
      if (!known) return;
      expect([session.bytes, picture.bytes, answer.bytes]).toEqual([
        expect.toSatisfy((bytes: number) => bytes >= 500 && bytes < 1_000),
        expect.toSatisfy((bytes: number) => bytes >= 1_500 && bytes < 2_000),
        0,
      ]);
      await states.take("k1");
      await states.take("k2");
      const after = states.usage();
      expect([after.session.bytes, after.picture.bytes]).toEqual([0, 0]);
    });

    it("[A22] a store full of one kind evicts from the largest network, idle entries first, then the oldest", async () => {
      const { states } = await kind.small(captchaLimits({ sessions: 6 }));
      await states.put("innocent", 1, 60_000, place("session", "n0"));
      await states.put("busy", 1, 60_000, place("session", "n1"));
      for (let i = 0; i < 12; i++) {
        await states.put(`s${i}`, i, 60_000, place("session", `n${1 + (i % 2)}`, true));
        // Redis orders by milliseconds.
        await kind.pass(2);
      }
      const kept = [];
      for (const key of ["innocent", "busy", ...Array.from({ length: 12 }, (_, i) => `s${i}`)])
        if ((await states.get(key)) !== undefined) kept.push(key);
      expect(kept).toEqual(["innocent", "busy", "s7", "s9", "s10", "s11"]);
      // Pictures and answers have limits of their own.
      await states.put("answer", 1, 60_000, place("answer", "n1"));
      await states.put("picture", 1, 60_000, place("picture", "n1"));
      expect(await states.get("innocent")).toBe(1);
      expect(states.usage().session.evicted).toBe(8);
    });

    it("[A22] the store limits a network to its share of bytes or one larger entry, and refuses a huge one", async () => {
      const { states } = await kind.small(captchaLimits({ answerBytes: 20_000, networkShare: 25 }));
      for (let i = 0; i < 10; i++) {
        await states.put(`a${i}`, "x".repeat(1_000), 60_000, place("answer", "n1"));
        await kind.pass(2);
      }
      const left = [];
      for (let i = 0; i < 10; i++) if ((await states.get(`a${i}`)) !== undefined) left.push(i);
      expect(left).toEqual([6, 7, 8, 9]);
      await states.put("large", "x".repeat(15_000), 60_000, place("answer", "n2"));
      expect(await states.get("large")).toHaveLength(15_000);
      await expect(states.put("huge", "x".repeat(20_000), 60_000, place("answer", "n2"))).rejects.toThrow(
        StorageError,
      );
      expect(await states.get("a9")).toHaveLength(1_000);
    });

    it("the store shows added, changed and removed signing keys to all nodes", async () => {
      const record = (kid: string) => ({
        ...{ kid, alg: "EdDSA" as const, jwk: { kty: "OKP", d: "private-part" } },
        ...{ created: 1, notBefore: 1, retireAt: null },
      });
      await first.keyRecords.put(record("k1"));
      await first.keyRecords.put(record("k2"));
      await first.keyRecords.put({ ...record("k1"), retireAt: 5 });
      const seen = await second.keyRecords.load();
      expect(seen.sort((a, b) => (a.kid < b.kid ? -1 : 1))).toEqual([
        { ...record("k1"), retireAt: 5 },
        record("k2"),
      ]);
      await second.keyRecords.remove("k1");
      expect((await first.keyRecords.load()).map(({ kid }) => kid)).toEqual(["k2"]);
      await second.keyRecords.remove("k2");
    });

    it.runIf(kind.full !== undefined)(
      "[A22] [W1] [W5] a full store refuses claims and drops none",
      async () => {
        const full = await kind.full?.();
        if (full === undefined) return;
        const { claims } = full;
        let kept = 0;
        for (; kept < 100_000; kept++) {
          const won = await claims
            .claim(`f${kept}`, 600_000, "x".repeat(100))
            .catch((error: unknown) => error);
          if (won instanceof StorageError) break;
        }
        expect(kept).toBeLessThan(100_000);
        await expect(claims.claim("one more", 600_000, "y")).rejects.toThrow(StorageError);
        for (let i = 0; i < kept; i += Math.max(1, Math.floor(kept / 20)))
          await expect(
            claims.claim(`f${i}`, 600_000, "z").then(
              ({ won }) => won,
              (error) => (error instanceof StorageError ? false : error),
            ),
          ).resolves.toBe(false);
      },
    );
  });
}
