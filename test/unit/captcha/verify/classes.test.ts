import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StorageError } from "../../../../plugins/captcha/service/contract.js";
import { parseAddress } from "../../../../plugins/captcha/service/http/address.js";
import { memoryClaims } from "../../../../plugins/captcha/service/store/memory.js";
import { addressBinding } from "../../../../plugins/captcha/service/verify/binding.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import {
  type Answer,
  CaptchaHarness,
  SECOND_SITE,
  SITE,
  type SigningKey,
} from "../../../support/verify-harness.js";

let harness: CaptchaHarness;
let key: SigningKey;
let down = false;
beforeAll(async () => {
  const clock = new ManualClock();
  const inner = memoryClaims(100, clock);
  const plain = await CaptchaHarness.start({ clock });
  harness = await CaptchaHarness.start({
    clock,
    stores: {
      ...plain.stores,
      claims: {
        claim: async (id, ttl, value) => {
          if (down) throw new StorageError("down");
          return await inner.claim(id, ttl, value);
        },
        close: () => inner.close(),
      },
    },
  });
  key = await harness.knownKey();
  await plain.stop();
});
afterAll(() => harness.stop());

const payload = (changes: Record<string, unknown> = {}) => {
  const iat = Math.floor(harness.clock.now() / 1_000);
  return { ...harness.claims(), iat, exp: iat + 300, ...changes };
};
const ERRORS = [
  ...["missing_required_params", "invalid_jwt", "invalid_jwt_request_id", "invalid_jwt_site_key"],
  ...["path_mismatch", "storage_error"],
];

/** [handling class, error, status] of each way in which a verification fails (spec "Errors"). */
const FAILURES: [string, number, string, number, () => Promise<Answer>][] = [
  ["a damaged token", 1, "invalid_jwt", 200, () => harness.verify("a.b.c")],
  ["an expired token", 1, "invalid_jwt", 200, () => harness.verify(key.sign(payload({ iat: 1, exp: 2 })))],
  ["bad times", 1, "invalid_jwt", 200, () => harness.verify(key.sign(payload({ exp: "x" })))],
  [
    "a used token",
    1,
    "invalid_jwt",
    200,
    async () => {
      const token = await harness.issue();
      await harness.verify(token);
      return await harness.verify(token);
    },
  ],
  ["no token", 2, "missing_required_params", 400, () => harness.verify("")],
  [
    "no request_id",
    2,
    "invalid_jwt_request_id",
    200,
    () => harness.verify(key.sign(payload({ request_id: "" }))),
  ],
  ["no site_key", 2, "invalid_jwt_site_key", 200, () => harness.verify(key.sign(payload({ site_key: "" })))],
  [
    "another path",
    2,
    "path_mismatch",
    200,
    async () => harness.verify(await harness.issue(), { site: SECOND_SITE }),
  ],
  [
    "a store that is away",
    3,
    "storage_error",
    503,
    async () => {
      down = true;
      const answer = await harness.verify(await harness.issue());
      down = false;
      return answer;
    },
  ],
];

describe("[H9] each check", () => {
  it.each(FAILURES.filter(([, handling]) => handling === 1))(
    "[C60] %s is invalid_jwt, and a newly solved token passes",
    async (_name, _class, error, status, fail) => {
      const answer = await fail();
      expect([answer.status, answer.body.success, answer.body.error]).toEqual([status, false, error]);
      expect((await harness.verify(await harness.issue())).body.success).toBe(true);
    },
  );

  it.each(FAILURES.filter(([, handling]) => handling === 2))(
    "[C61] %s is a fault of the integration, which its error distinguishes from class 1",
    async (_name, _class, error, status, fail) => {
      const answer = await fail();
      expect([answer.status, answer.body.success, answer.body.error]).toEqual([status, false, error]);
      expect(answer.body.error).not.toBe("invalid_jwt");
    },
  );

  it.each(FAILURES.filter(([, handling]) => handling === 3))(
    "[C62] %s is temporary: a 5xx with Retry-After",
    async (_name, _class, error, status, fail) => {
      const answer = await fail();
      expect([answer.status, answer.body.success, answer.body.error]).toEqual([status, false, error]);
      expect(answer.headers["retry-after"]).toBe("1");
    },
  );

  it("[C46] [C48] each failure has one of the six errors and no field of success", async () => {
    for (const [, , , , fail] of FAILURES) {
      const { body } = await fail();
      expect(ERRORS).toContain(body.error);
      expect(body.success).toBe(false);
      expect(body).not.toHaveProperty("request_id");
      expect(body).not.toHaveProperty("site_key");
    }
  });
});

describe("faults of other systems", () => {
  it("[W3] a missing jwt gets 400 for every form of the query, by GET and POST", async () => {
    for (const target of [
      `/${SITE}/verify`,
      `/${SITE}/verify?`,
      `/${SITE}/verify?&&&`,
      `/${SITE}/verify?=`,
    ]) {
      const headers = { "X-Api-Key": harness.keys.shop.key };
      for (const method of ["GET", "POST"]) {
        const { status, body } = await harness.ask(target, { method, headers });
        expect([status, body.error]).toEqual([400, "missing_required_params"]);
      }
    }
  });

  it("[W2] text that is moved between claims breaks the signature", async () => {
    const token = await harness.issue({ hostname: "shop.example", action: "a" });
    const [header, claims, signature] = token.split(".");
    const changed = JSON.parse(Buffer.from(claims ?? "", "base64url").toString());
    changed.hostname = "shop.examplea";
    changed.action = "";
    const moved = `${header}.${Buffer.from(JSON.stringify(changed)).toString("base64url")}.${signature}`;
    expect((await harness.verify(moved)).body.reason).toBe("bad_signature");
  });

  it("[W2] a binding separates family, length and network, so that no two networks share one", () => {
    const secret = Buffer.alloc(32, 1);
    const of = (text: string, mode: "prefix" | "exact") => {
      const client = parseAddress(text);
      return client === undefined ? undefined : addressBinding(client, mode, secret);
    };
    const all = [
      of("1.2.3.4", "prefix"),
      of("1.2.34.0", "prefix"),
      of("12.3.4.0", "prefix"),
      of("1.2.3.0", "exact"),
      of("::1", "prefix"),
      of("::1", "exact"),
      of("::", "exact"),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it("[W5] a MAC has its full length, and a used token stays used after 20,000 others", async () => {
    const ipb = addressBinding(
      { text: "203.0.113.7", family: 4, prefix: "203.0.113.0/24" },
      "prefix",
      Buffer.alloc(32),
    );
    expect(Buffer.from(ipb?.split("/")[2] ?? "", "base64url")).toHaveLength(32);
    const claims = memoryClaims(50_000, new ManualClock());
    await claims.claim("first", 300_000, "");
    for (let i = 0; i < 20_000; i++) await claims.claim(`token/${i}`, 300_000, "");
    expect((await claims.claim("first", 300_000, "")).won).toBe(false);
    await claims.close();
  });
});
