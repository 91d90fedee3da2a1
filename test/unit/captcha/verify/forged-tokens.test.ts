import { createHmac } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CaptchaHarness, SECOND_SITE, SITE, type SigningKey } from "../../../support/verify-harness.js";

let harness: CaptchaHarness;
let key: SigningKey;
beforeAll(async () => {
  harness = await CaptchaHarness.start();
  key = await harness.knownKey();
});
afterAll(() => harness.stop());

/** Claims of a good token, with changes. */
const payload = (changes: Record<string, unknown> = {}) => {
  const iat = Math.floor(harness.clock.now() / 1_000);
  return { ...harness.claims(), iat, exp: iat + 300, ...changes };
};
const without = (name: string) => {
  const { [name]: _, ...rest } = payload() as Record<string, unknown>;
  return rest;
};
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const rejected = async (token: string) => {
  const { status, body } = await harness.verify(token);
  expect(status).toBe(200);
  expect(body.success).toBe(false);
  expect(body.error).toBe("invalid_jwt");
  return body.reason;
};

it("a token that a key of the ring signed passes", async () => {
  expect((await harness.verify(key.sign(payload()))).body.success).toBe(true);
});

describe("the header", () => {
  it.each([
    ["[A7] alg none", () => ({ ...key.header, alg: "none" }), "bad_algorithm"],
    ["[A7] alg None", () => ({ ...key.header, alg: "None" }), "bad_algorithm"],
    ["[A9] alg of another key in the ring", () => ({ ...key.header, alg: "ES256" }), "bad_algorithm"],
    ["[A9] alg HS256", () => ({ ...key.header, alg: "HS256" }), "bad_algorithm"],
    ["[A10] kid that is a path", () => ({ ...key.header, kid: "../../etc/passwd" }), "malformed"],
    ["[A10] kid that is a URL", () => ({ ...key.header, kid: "https://evil.example/key" }), "malformed"],
    ["[A10] kid that is SQL", () => ({ ...key.header, kid: "' OR 1=1 --" }), "malformed"],
    ["[A10] kid __proto__", () => `{"alg":"EdDSA","kid":"__proto__","typ":"spc+jwt"}`, "unknown_key"],
    ["[A10] kid constructor", () => ({ ...key.header, kid: "constructor" }), "unknown_key"],
    ["[A10] kid of 33 characters", () => ({ ...key.header, kid: "k".repeat(33) }), "malformed"],
    ["[A10] kid that is a number", () => ({ ...key.header, kid: 7 }), "malformed"],
    ["[A10] no kid", () => ({ alg: "EdDSA", typ: "spc+jwt" }), "malformed"],
    ["[A11] jku", () => ({ ...key.header, jku: "https://evil.example/jwks" }), "malformed"],
    ["[A11] x5u", () => ({ ...key.header, x5u: "https://evil.example/x5" }), "malformed"],
    ["[A11] jwk", () => ({ ...key.header, jwk: { kty: "OKP", crv: "Ed25519", x: "AAAA" } }), "malformed"],
    ["[A11] x5c", () => ({ ...key.header, x5c: ["AAAA"] }), "malformed"],
    ["[A11] crit", () => ({ ...key.header, crit: ["exp"], exp: 1 }), "malformed"],
    ["[A11] b64 false", () => ({ ...key.header, b64: false, crit: ["b64"] }), "malformed"],
    ["[A11] zip", () => ({ ...key.header, zip: "DEF" }), "malformed"],
    ["typ JWT", () => ({ ...key.header, typ: "JWT" }), "malformed"],
    ["no typ", () => ({ alg: "EdDSA", kid: key.record.kid }), "malformed"],
    ["an array", () => [1], "malformed"],
    ["null", () => "null", "malformed"],
    ["no JSON", () => "{", "malformed"],
  ])("a header with %s is rejected", async (_name, header, reason) => {
    expect(await rejected(key.sign(payload(), header()))).toBe(reason);
  });

  it("[A10] a kid of 10 kB gets 414", async () => {
    const token = key.sign(payload(), { ...key.header, kid: "k".repeat(10_000) });
    const answer = await harness.verify(token);
    expect(answer.status).toBe(414);
    expect(answer.body.success).toBe(false);
  });

  it("[A10] a kid of 900 characters is malformed", async () => {
    expect(await rejected(key.sign(payload(), { ...key.header, kid: "k".repeat(900) }))).toBe("malformed");
  });
});

describe("the signature", () => {
  it("[A7] an empty signature is rejected", async () => {
    const [header, claims] = key.sign(payload()).split(".");
    expect(await rejected(`${header}.${claims}.`)).toBe("malformed");
    expect(await rejected(`${encode({ ...key.header, alg: "none" })}.${claims}.`)).toBe("malformed");
  });

  it("[A8] an HS256 signature with the bytes of the public key is rejected", async () => {
    for (const secret of [
      key.publicKey,
      Buffer.from(key.publicKey.toString("base64")),
      key.publicKey.subarray(12),
    ]) {
      for (const alg of ["HS256", "EdDSA"]) {
        const input = `${encode({ ...key.header, alg })}.${encode(payload())}`;
        const mac = createHmac("sha256", secret).update(input).digest("base64url");
        expect(await rejected(`${input}.${mac}`)).toBe(alg === "HS256" ? "bad_algorithm" : "bad_signature");
      }
    }
  });

  it("[A9] a signature by another key of the ring is rejected", async () => {
    const other = await harness.knownKey();
    expect(await rejected(other.sign(payload(), key.header))).toBe("bad_signature");
  });

  it("a signature by a key that is in no ring is rejected", async () => {
    const stranger = new (key.constructor as typeof SigningKey)(harness.clock.now());
    expect(await rejected(stranger.sign(payload()))).toBe("unknown_key");
  });
});

describe("the text of a token", () => {
  it("[A12] [C52] a token with any bit flipped is rejected", async () => {
    const token = await harness.issue();
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.integer({ min: 0, max: 6 }), async (at, bit) => {
        const changed = String.fromCharCode(token.charCodeAt(at) ^ (1 << bit));
        const { body } = await harness.verify(token.slice(0, at) + changed + token.slice(at + 1));
        expect(body).toMatchObject({ success: false, error: "invalid_jwt" });
      }),
      { numRuns: 300 },
    );
    expect((await harness.verify(token)).body.success).toBe(true);
  });

  it.each([
    ["padding", (token: string) => `${token}==`],
    ["padding in the header", (token: string) => token.replace(".", "=.")],
    ["a blank behind", (token: string) => `${token} `],
    ["a blank before", (token: string) => ` ${token}`],
    ["a blank inside", (token: string) => token.replace(".", ". ")],
    ["a fourth part", (token: string) => `${token}.AAAA`],
    ["two parts", (token: string) => token.slice(0, token.lastIndexOf("."))],
    ["[A17] a NUL", (token: string) => `${token}\0`],
    ["[A17] a newline", (token: string) => `${token}\n`],
    ["a newline inside", (token: string) => token.replace(".", ".\r\n")],
    ["JSON serialisation", (token: string) => JSON.stringify({ protected: token })],
    ["a word", () => "token"],
    ["dots", () => ".."],
  ])("[A12] a token with %s is malformed", async (_name, change) => {
    expect(await rejected(change(await harness.issue()))).toBe("malformed");
  });

  it("[A12] a token in the alphabet of base64 instead of base64url is malformed", async () => {
    let token: string;
    do token = await harness.issue();
    while (!/[-_]/.test(token));
    expect(await rejected(token.replaceAll("-", "+").replaceAll("_", "/"))).toBe("malformed");
  });

  it("[A12] a token with other bits behind the last octet is malformed", async () => {
    // A signature of 64 bytes takes 85 characters and two bits of another.
    const token = await harness.issue();
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(token.at(-1) ?? "");
    for (let i = 1; i < 16; i++) {
      const twin = token.slice(0, -1) + alphabet[last + i];
      expect(Buffer.from(twin.split(".")[2] ?? "", "base64url")).toEqual(
        Buffer.from(token.split(".")[2] ?? "", "base64url"),
      );
      expect(await rejected(twin)).toBe("malformed");
    }
  });
});

describe("times", () => {
  const seconds = () => Math.floor(harness.clock.now() / 1_000);
  it.each([
    ["[A15] exp missing", () => without("exp")],
    ["[A15] [C55] exp as text", () => payload({ exp: String(seconds() + 300) })],
    ["[A15] exp with a fraction", () => payload({ exp: seconds() + 300.5 })],
    ["[A15] exp 1e308", () => `{"iat":${seconds()},"exp":1e308,"request_id":"r","site_key":"${SITE}"}`],
    ["[A15] exp negative", () => payload({ exp: -1 })],
    ["[A15] exp before iat", () => payload({ exp: seconds() - 1 })],
    ["[A15] exp equal to iat", () => payload({ exp: seconds() })],
    ["[A15] [H25] a life above 600 s", () => payload({ exp: seconds() + 601 })],
    ["[C55] iat missing", () => without("iat")],
    ["[C55] iat as text", () => payload({ iat: String(seconds()) })],
    ["exp null", () => payload({ exp: null })],
    ["exp an array", () => payload({ exp: [seconds() + 300] })],
  ])("a token with %s is bad_times", async (_name, claims) => {
    expect(await rejected(key.sign(claims()))).toBe("bad_times");
  });

  it("[A14] [C49] [H25] [H26] an iat 6 s ahead is not yet valid, one 4 s ahead is valid", async () => {
    const early = await harness.verify(key.sign(payload({ iat: seconds() + 6, exp: seconds() + 306 })));
    expect(early.body).toEqual({
      success: false,
      error: "invalid_jwt",
      reason: "not_yet_valid",
      validation_check: "not_yet_valid",
    });
    const near = await harness.verify(key.sign(payload({ iat: seconds() + 4, exp: seconds() + 304 })));
    expect(near.body.success).toBe(true);
  });
});

describe("names", () => {
  it.each([
    ["[A16] [C56] absent", undefined],
    ["[A16] [C56] empty", ""],
    ["[A16] blanks", "   "],
    ["[A16] a number", 7],
    ["[A16] an array", ["req_1"]],
    ["an object", { a: 1 }],
    ["null", null],
  ])("a request_id that is %s is invalid_jwt_request_id", async (_name, value) => {
    const { status, body } = await harness.verify(key.sign(payload({ request_id: value })));
    expect(status).toBe(200);
    expect(body).toEqual({ success: false, error: "invalid_jwt_request_id" });
  });

  it.each([
    ["[A16] [C57] absent", undefined],
    ["[A16] [C57] empty", ""],
    ["[A16] blanks", "   "],
    ["[A16] a number", 7],
    ["[A16] an array", [SITE]],
    ["an object", { a: 1 }],
    ["null", null],
  ])("a site_key that is %s is invalid_jwt_site_key", async (_name, value) => {
    const { status, body } = await harness.verify(key.sign(payload({ site_key: value })));
    expect(status).toBe(200);
    expect(body).toEqual({ success: false, error: "invalid_jwt_site_key" });
  });
});

describe("[H29] order of faults", () => {
  const seconds = () => Math.floor(harness.clock.now() / 1_000);
  const order: [string, Record<string, unknown>][] = [
    ["expired", { iat: 1_000, exp: 1_300, request_id: "", site_key: "" }],
    ["invalid_jwt_request_id", { request_id: "", site_key: "" }],
    ["invalid_jwt_site_key", { site_key: "" }],
    ["path_mismatch", { site_key: SECOND_SITE, hostname: "evil.example" }],
    ["hostname_mismatch", { hostname: "evil.example" }],
  ];

  it.each(order)("a token with several faults gets the first of them: %s", async (fault, changes) => {
    const { body } = await harness.verify(key.sign(payload(changes)));
    expect([body.error, body.reason]).toContain(fault);
  });

  it("a claim without a valid signature gets no explanation", async () => {
    const stranger = new (key.constructor as typeof SigningKey)(harness.clock.now(), { kid: key.record.kid });
    const expired = payload({ iat: seconds() - 600, exp: seconds() - 300, request_id: "", site_key: "" });
    expect(await rejected(stranger.sign(expired))).toBe("bad_signature");
  });

  it("a payload that is no JSON object is malformed", async () => {
    for (const claims of ["[]", "null", "1", "{"]) expect(await rejected(key.sign(claims))).toBe("malformed");
  });
});
