import { describe, expect, it } from "vitest";
import {
  type KeyRecord,
  type KeyRecords,
  keyRecordsIn,
} from "../../../../plugins/captcha/service/store/key-records.js";
import { memoryKeys } from "../../../../plugins/captcha/service/store/memory.js";
import { KeyRing } from "../../../../plugins/captcha/service/token/key-ring.js";
import { openTokens } from "../../../../plugins/captcha/service/token/tokens.js";
import { ManualClock } from "../../../support/captcha-clock.js";

const KEY = Buffer.alloc(32, 1);
const issuer = { issuer: () => "https://captcha.example" };
const claims = { request_id: "req_1", site_key: "site-key", hostname: "shop.example", how: "score" } as const;
const kidOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid;

/** Counts the reads of the store, and can lose its entries. */
function counted(records: KeyRecords) {
  const state = { loads: 0, losses: 0 };
  const counting: KeyRecords = {
    losses: () => state.losses,
    load: () => {
      state.loads++;
      return records.load();
    },
    put: (record) => records.put(record),
    remove: (kid) => records.remove(kid),
  };
  return { state, records: counting };
}

describe("the signing keys", () => {
  it("signing keys are made once and shared by all nodes that open the store", async () => {
    const clock = new ManualClock();
    const records = keyRecordsIn(memoryKeys(), KEY, () => {});
    const first = await openTokens(records, clock, issuer);
    const second = await openTokens(records, clock, issuer);
    const token = await second.issue(claims, 60_000);
    expect(await records.load()).toHaveLength(1);
    expect(await first.open(token)).toMatchObject({ payload: claims });
    expect(await first.kids()).toEqual([kidOf(token)]);
  });

  it("the new key of a node that rotated is known to another node at its first token", async () => {
    const clock = new ManualClock();
    const records = keyRecordsIn(memoryKeys(), KEY, () => {});
    const first = await openTokens(records, clock, issuer);
    const second = await openTokens(records, clock, issuer);
    clock.advance(1_000);
    const kid = await first.rotate();
    const token = await first.issue(claims, 60_000);
    expect(kidOf(token)).toBe(kid);
    expect(await second.open(token)).toMatchObject({ payload: claims });
  });

  it("the new key of another node signs here after at most half a minute", async () => {
    const clock = new ManualClock();
    const records = keyRecordsIn(memoryKeys(), KEY, () => {});
    const [first, second] = [new KeyRing(records, clock), new KeyRing(records, clock)];
    await second.signing();
    clock.advance(1_000);
    const kid = await first.rotate();
    clock.advance(30_000);
    await second.signing();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await second.signing()).kid).toBe(kid);
  });

  it("unknown kids of a flood do not each read the keys again", async () => {
    const clock = new ManualClock();
    const { records, state } = counted(keyRecordsIn(memoryKeys(), KEY, () => {}));
    const ring = new KeyRing(records, clock);
    await ring.signing();
    const before = state.loads;
    clock.advance(1_000);
    for (let i = 0; i < 100; i++) expect(await ring.find(`kid-${i}`)).toBeUndefined();
    expect(state.loads - before).toBe(1);
    clock.advance(200);
    await Promise.all(Array.from({ length: 100 }, (_, i) => ring.find(`kid-${i}`)));
    expect(state.loads - before).toBe(2);
  });

  it("the keys are dropped when the store has lost its claims", async () => {
    const clock = new ManualClock();
    const keys = memoryKeys();
    const { records, state } = counted(keyRecordsIn(keys, KEY, () => {}));
    const tokens = await openTokens(records, clock, issuer);
    const token = await tokens.issue(claims, 60_000);
    for (const kid of (await keys.all()).keys()) await keys.remove(kid);
    state.losses++;
    clock.advance(1_000);
    expect(await tokens.open(token)).toEqual({ reason: "unknown_key" });
    expect(kidOf(await tokens.issue(claims, 60_000))).not.toBe(kidOf(token));
  });

  it("keys of another installation are left alone and reported", async () => {
    const clock = new ManualClock();
    const keys = memoryKeys();
    const told: string[] = [];
    const theirs = await openTokens(
      keyRecordsIn(keys, Buffer.alloc(32, 2), () => {}),
      clock,
      issuer,
    );
    const token = await theirs.issue(claims, 60_000);
    const ours = await openTokens(
      keyRecordsIn(keys, KEY, (kid) => told.push(kid)),
      clock,
      issuer,
    );
    expect(await ours.open(token)).toEqual({ reason: "unknown_key" });
    expect(told).toContain(kidOf(token));
    expect(kidOf(await ours.issue(claims, 60_000))).not.toBe(kidOf(token));
  });

  it("keys of another installation are reported once, however many tokens have made-up kids", async () => {
    const clock = new ManualClock();
    const keys = memoryKeys();
    const told: string[] = [];
    await openTokens(
      keyRecordsIn(keys, Buffer.alloc(32, 2), () => {}),
      clock,
      issuer,
    );
    const ours = await openTokens(
      keyRecordsIn(keys, KEY, (kid) => told.push(kid)),
      clock,
      issuer,
    );
    for (let i = 0; i < 5; i++) {
      clock.advance(1_000);
      const header = Buffer.from(`{"alg":"EdDSA","kid":"made-up-${i}","typ":"spc+jwt"}`);
      expect(await ours.open(`${header.toString("base64url")}.e30.AAAA`)).toEqual({ reason: "unknown_key" });
    }
    expect(told).toEqual([...(await keys.all()).keys()].slice(0, 1));
  });

  it("signing keys are stored sealed, each for its own name", async () => {
    const keys = memoryKeys();
    const told: string[] = [];
    const records = keyRecordsIn(keys, KEY, (kid) => told.push(kid));
    const record: KeyRecord = {
      ...{ kid: "a", alg: "EdDSA", jwk: { kty: "OKP", d: "very-private" } },
      ...{ created: 1, notBefore: 1, retireAt: null },
    };
    await records.put(record);
    const sealed = (await keys.all()).get("a") ?? "";
    expect(Buffer.from(sealed, "base64").toString("latin1")).not.toContain("very-private");
    await keys.put("b", sealed);
    expect(await records.load()).toEqual([record]);
    expect(told).toEqual(["b"]);
    await keys.put("c", "no seal");
    expect(await records.load()).toEqual([record]);
  });

  it("a token longer than the limit is not signed", async () => {
    const tokens = await openTokens(
      keyRecordsIn(memoryKeys(), KEY, () => {}),
      new ManualClock(),
      issuer,
    );
    await expect(tokens.issue({ ...claims, hostname: "h".repeat(2_000) }, 60_000)).rejects.toThrow(
      RangeError,
    );
  });
});
