import { describe, expect, it } from "vitest";
import type { Exchange } from "../../runtime/abi/exchange.js";
import type { Admission } from "../../runtime/proxy/host/admission.js";
import { OK, proxyTo } from "../e2e/wire/gateway.js";
import type { RawUpstream } from "../support/raw-upstream.js";

const LONG = process.env["GWC_ATTACK"] === "long";

/** Fields in which gateways speak to upstreams, written down apart from the runtime. */
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
/** A field that only this configuration sets, and one that it removes. */
const SET = "X-Tenant";
const REMOVED = "X-Debug-Mode";

const EVIL = "spoofed";
const SEPARATORS = LONG ? [..."_.!#$%&'*+^`|~"] : [..."_.~"];

/** What CGI, WSGI, Rack and PHP make of a name; some turn every odd character into "_". */
const cgi = (name: string) => name.toUpperCase().replace(/[^A-Z0-9]/g, "_");

/** Every way to spell a name: letter case, other separators, and mixtures of them. */
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

/** The gateway's own words, as its plugins would say them. */
const module = {
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
  /** The request with these names in it. */
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

/** What an application behind CGI reads: every name that folds to the same, trailers merged. */
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

/** So many names fit one request. */
const AT_ONCE = 60;

describe.each(WAYS)("fields of the gateway that a client spells $name", ({ name: way, request }) => {
  it.each(SPOKEN)("say nothing but what the gateway says: %s", async (name) => {
    const ask = await standing();
    const all = spellings(name);
    for (let at = 0; at < all.length; at += AT_ONCE)
      isOwn(await ask(request(all.slice(at, at + AT_ONCE))), name);
    if (LONG) for (const one of all) isOwn(await ask(request([one])), name);
  });

  it("leave what a configuration sets and removes as it wants it", async () => {
    if (way.startsWith("as trailers")) return;
    const ask = await standing();
    for (const name of [SET, REMOVED]) isOwn(await ask(request(spellings(name).slice(0, AT_ONCE))), name);
  });
});

describe("fields of the gateway", () => {
  it.each(["keep", "drop"] as const)(
    "have no other spelling with underscores_in_headers: %s",
    async (underscores) => {
      const ask = await standing({ trusts: () => false, underscores });
      for (const name of SPOKEN) {
        const all = spellings(name).slice(0, AT_ONCE);
        isOwn(await ask(`${start}${lines(all)}Content-Length: 0\r\n\r\n`), name);
      }
    },
  );

  it("have no other spelling from a trusted proxy either", async () => {
    const ask = await standing({ trusts: (address) => address === "127.0.0.1" });
    for (const name of SPOKEN) {
      const disguised = spellings(name).filter((other) => other.toLowerCase() !== name.toLowerCase());
      isOwn(await ask(`${start}${lines(disguised.slice(0, AT_ONCE))}Content-Length: 0\r\n\r\n`), name);
    }
  });

  it("name the last hop that is not trusted, whatever the client wrote in front of it", async () => {
    const ask = await standing({ trusts: (address) => address === "127.0.0.1" || address.startsWith("10.") });
    for (const forged of ["6.6.6.6", "::ffff:606:606", "10.9.9.9", "unknown", '"', "6.6.6.6,,,", "\xa0"]) {
      const list = `X-Forwarded-For: ${forged}, 203.0.113.7, ::ffff:a00:1\r\n`;
      const seen = await ask(`${start}${list}X_Forwarded_For: 6.6.6.6\r\nContent-Length: 0\r\n\r\n`);
      expect(seen.get("X_REAL_IP"), forged).toEqual(["203.0.113.7"]);
    }
  });

  it("frame no message in another spelling", async () => {
    const ask = await standing();
    for (const name of ["Content-Length", "Transfer-Encoding", "Content-Type"]) {
      const disguised = spellings(name).filter((other) => other.toLowerCase() !== name.toLowerCase());
      const seen = await ask(`${start}${lines(disguised.slice(0, AT_ONCE))}Content-Length: 0\r\n\r\n`);
      expect(seen.get(cgi(name)) ?? [], name).toEqual(name === "Content-Length" ? ["0"] : []);
    }
  });
});
