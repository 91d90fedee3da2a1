import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StorageError } from "../../../../plugins/captcha/service/contract.js";
import { openLmdb } from "../../../../plugins/captcha/service/store/lmdb.js";
import { ExpiringTexts } from "../../../../plugins/captcha/service/store/memory.js";
import { ManualClock } from "../../../support/captcha-clock.js";

describe("texts that expire", () => {
  it("a text exists exactly for its TTL, whatever the order of operations", () => {
    const step = fc.oneof(
      fc.record({ set: fc.nat(4), ttl: fc.integer({ min: 1, max: 5_000 }) }),
      fc.record({ take: fc.nat(4) }),
      fc.record({ pass: fc.integer({ min: 1, max: 3_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const clock = new ManualClock();
        const texts = new ExpiringTexts(100, clock);
        const model = new Map<string, { text: string; until: number }>();
        for (const [i, one] of steps.entries()) {
          if ("set" in one) {
            texts.set(`k${one.set}`, String(i), one.ttl);
            model.set(`k${one.set}`, { text: String(i), until: clock.monotonic() + one.ttl });
          } else if ("take" in one) {
            const known = model.get(`k${one.take}`);
            const expected = known !== undefined && known.until > clock.monotonic() ? known.text : undefined;
            expect(texts.get(`k${one.take}`)).toBe(expected);
            texts.remove(`k${one.take}`);
            model.delete(`k${one.take}`);
          } else clock.advance(one.pass);
          for (const [key, { text, until }] of model)
            expect(texts.get(key)).toBe(until > clock.monotonic() ? text : undefined);
        }
        clock.advance(10_000);
        expect(texts.size).toBe(0);
        texts.close();
      }),
      { numRuns: 200 },
    );
  });

  it("expired texts make room, also after a day without operations", () => {
    const clock = new ManualClock();
    const texts = new ExpiringTexts(2, clock);
    texts.set("a", "1", 1_000);
    texts.set("b", "2", 90_000);
    expect(() => texts.set("c", "3", 1_000)).toThrow(StorageError);
    texts.set("a", "1 again", 1_000);
    clock.advance(2_000);
    texts.set("c", "3", 1_000);
    expect(() => texts.set("d", "4", 1_000)).toThrow(StorageError);
    clock.advance(86_400_000);
    expect(texts.size).toBe(0);
    texts.close();
  });
});

describe("claims in LMDB", () => {
  it("[A22] claims in LMDB make room when they expire, and not before", async () => {
    const clock = new ManualClock();
    const directory = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
    const { claims } = openLmdb(directory, 20, clock);
    for (let i = 0; i < 20; i++)
      expect(await claims.claim(`t${i}`, i < 10 ? 10_000 : 60_000, "")).toEqual({ won: true });
    await expect(claims.claim("more", 10_000, "")).rejects.toThrow(StorageError);
    clock.advance(21_000);
    for (let i = 0; i < 10; i++) expect(await claims.claim(`n${i}`, 60_000, "")).toEqual({ won: true });
    await expect(claims.claim("more", 10_000, "")).rejects.toThrow(StorageError);
    expect(await claims.claim("t15", 1_000, "").catch((error: unknown) => error)).toBeInstanceOf(
      StorageError,
    );
    clock.advance(600_000);
    for (let i = 0; i < 20; i++) expect(await claims.claim(`l${i}`, 60_000, "")).toEqual({ won: true });
    await claims.close();
    await expect(claims.claim("closed", 1_000, "")).rejects.toThrow(StorageError);
    rmSync(directory, { recursive: true });
  });
});
