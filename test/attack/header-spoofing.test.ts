import "../../plugins/runtime.js";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../runtime/abi/exchange.js";
import type { Admission } from "../../runtime/proxy/host/admission.js";
import { OK, proxyTo } from "../e2e/wire/gateway.js";
import type { RawUpstream } from "../support/raw-upstream.js";

const LONG = process.env["GWC_ATTACK"] === "long";

/** Reserved headers, listed here independently of the runtime. */
const SPOKEN = [
  "X-Real-IP",
  "X-Forwarded-For",
  "X-Forwarded-Proto",
  "X-Forwarded-Host",
  "X-Forwarded-Port",
  "Forwarded",
  "X-Captcha-Result",
  "X-Captcha-Request-Id",
  "X-Consumer-Username",
  "X-Consumer-Custom-Id",
  "X-Consumer-Groups",
  "X-Credential-Identifier",
];
/** Headers that this configuration sets and removes. */
const SET = "X-Tenant";
const REMOVED = "X-Debug-Mode";

const EVIL = "spoofed";
const SEPARATORS = LONG ? [..."_.!#$%&'*+^`|~"] : [..."_.~"];

/** Name as CGI, WSGI, Rack and PHP see it; some turn every special character into "_". */
const cgi = (name: string) => name.toUpperCase().replace(/[^A-Z0-9]/g, "_");

/** Every spelling of a name: letter case, other separators, and mixtures of them. */
function spellings(name: string): string[] {
  const parts = name.split("-");
  const joined = SEPARATORS.flatMap((separator) => [
    parts.join(separator),
    [parts.slice(0, 2).join(separator), ...parts.slice(2)].join("-"),
    [parts[0], parts.slice(1).join(separator)].join("-"),
  ]);
  const mixed = parts.join("_").replace("_", "-");
  const cased = (text: string) => [text, text.toLowerCase(), text.toUpperCase(), alternating(text)];
  return [...new Set([name, mixed, ...joined].flatMap(cased))];
}

const alternating = (text: string) =>
  [...text].map((letter, i) => (i % 2 === 0 ? letter.toLowerCase() : letter.toUpperCase())).join("");

/** Headers of the gateway, set as its plugins would, and withheld as the compiler writes it. */
const module = {
  withheld: { request: [SET.toLowerCase(), REMOVED.toLowerCase()] },
  rewrite(x: Exchange) {
    x.upstream.headers.set(SET, "gateway");
    x.upstream.headers.delete(REMOVED);
  },
  access(x: Exchange) {
    x.upstream.headers.set("X-Captcha-Result", "verified");
    x.upstream.headers.set("X-Consumer-Username", "ann");
  },
};
const OWN: Readonly<Record<string, string>> = {
  X_REAL_IP: "127.0.0.1",
  X_FORWARDED_FOR: "127.0.0.1",
  X_FORWARDED_PROTO: "http",
  X_FORWARDED_HOST: "a.test:81",
  X_FORWARDED_PORT: "81",
  X_CAPTCHA_RESULT: "verified",
  X_CONSUMER_USERNAME: "ann",
  X_TENANT: "gateway",
};

interface Way {
  name: string;
  /** Request with these names in it. */
  request(names: readonly string[]): string;
}

const start = "POST /a HTTP/1.1\r\nHost: a.test:81\r\n";
const lines = (names: readonly string[]) => names.map((name) => `${name}: ${EVIL}\r\n`).join("");
const WAYS: Way[] = [
  { name: "as fields", request: (names) => `${start}${lines(names)}Content-Length: 0\r\n\r\n` },
  {
    name: "as fields that Connection names",
    request: (names) => `${start}Connection: ${names.join(", ")}\r\n${lines(names)}Content-Length: 0\r\n\r\n`,
  },
  {
    name: "named by Connection alone",
    request: (names) => `${start}Connection: keep-alive, ${names.join(",")}\r\nContent-Length: 0\r\n\r\n`,
  },
  {
    name: "as trailers",
    request: (names) => `${start}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${lines(names)}\r\n`,
  },
  {
    name: "as trailers that Trailer announces",
    request: (names) =>
      `${start}Trailer: ${names.join(", ")}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${lines(names)}\r\n`,
  },
];

/** Fields as an application behind CGI reads them: names that fold to the same are merged, with trailers. */
function seenBy(upstream: RawUpstream): Map<string, string[]> {
  const [request] = upstream.requests.splice(0);
  if (request === undefined) throw new Error("nothing was forwarded");
  const seen = new Map<string, string[]>();
  for (const [name, value] of [...request.headers, ...(request.trailers ?? [])])
    seen.set(cgi(name), [...(seen.get(cgi(name)) ?? []), value]);
  return seen;
}

async function standing(admission?: Admission) {
  const options = admission === undefined ? {} : { options: { admission: () => admission } };
  const gateway = await proxyTo(() => ({ writes: [OK] }), { module, ...options });
  const client = await gateway.client();
  return async (request: string) => {
    await client.send(request);
    expect((await client.response("POST")).status).toBe(200);
    return seenBy(gateway.upstream);
  };
}

function isOwn(seen: Map<string, string[]>, name: string): void {
  const own = OWN[cgi(name)];
  expect(seen.get(cgi(name)) ?? [], `${name} as an application reads it`).toEqual(
    own === undefined ? [] : [own],
  );
}

/** Number of names that fit one request. */
const AT_ONCE = 60;

describe.each(WAYS)("reserved headers that a client spells $name", ({ request }) => {
  it.each(SPOKEN)(
    "an upstream reads only the gateway's value of %s for every spelling of a client",
    async (name) => {
      const ask = await standing();
      const all = spellings(name);
      for (let at = 0; at < all.length; at += AT_ONCE)
        isOwn(await ask(request(all.slice(at, at + AT_ONCE))), name);
      if (LONG) for (const one of all) isOwn(await ask(request([one])), name);
    },
  );

  it("an upstream reads only the values of headers that a configuration sets or removes", async () => {
    const ask = await standing();
    for (const name of [SET, REMOVED]) isOwn(await ask(request(spellings(name).slice(0, AT_ONCE))), name);
  });
});

describe("aliases of reserved headers", () => {
  it.each(["keep", "drop"] as const)(
    "a client's aliases of reserved headers are dropped with underscores_in_headers: %s",
    async (underscores) => {
      const ask = await standing({ trusts: () => false, underscores });
      for (const name of SPOKEN) {
        const all = spellings(name).slice(0, AT_ONCE);
        isOwn(await ask(`${start}${lines(all)}Content-Length: 0\r\n\r\n`), name);
      }
    },
  );

  it("a trusted proxy's aliases of reserved headers are dropped too", async () => {
    const ask = await standing({ trusts: (address) => address === "127.0.0.1" });
    for (const name of SPOKEN) {
      const disguised = spellings(name).filter((other) => other.toLowerCase() !== name.toLowerCase());
      isOwn(await ask(`${start}${lines(disguised.slice(0, AT_ONCE))}Content-Length: 0\r\n\r\n`), name);
    }
  });

  it("X-Real-IP names the last untrusted hop, for any forged value in front of it", async () => {
    const ask = await standing({ trusts: (address) => address === "127.0.0.1" || address.startsWith("10.") });
    for (const forged of ["6.6.6.6", "::ffff:606:606", "10.9.9.9", "unknown", '"', "6.6.6.6,,,", "\xa0"]) {
      const list = `X-Forwarded-For: ${forged}, 203.0.113.7, ::ffff:a00:1\r\n`;
      const seen = await ask(`${start}${list}X_Forwarded_For: 6.6.6.6\r\nContent-Length: 0\r\n\r\n`);
      expect(seen.get("X_REAL_IP"), forged).toEqual(["203.0.113.7"]);
    }
  });

  it("an alias of a framing header does not reach an upstream", async () => {
    const ask = await standing();
    for (const name of ["Content-Length", "Transfer-Encoding", "Content-Type"]) {
      const disguised = spellings(name).filter((other) => other.toLowerCase() !== name.toLowerCase());
      const seen = await ask(`${start}${lines(disguised.slice(0, AT_ONCE))}Content-Length: 0\r\n\r\n`);
      expect(seen.get(cgi(name)) ?? [], name).toEqual(name === "Content-Length" ? ["0"] : []);
    }
  });
});
