import { describe, expect, it } from "vitest";
import type { UpstreamTable } from "../../../runtime/abi/generation.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { parseRequestHead, type RequestHead } from "../../../runtime/http/request-head.js";
import { GatewayExchange } from "../../../runtime/proxy/exchange/exchange.js";
import { applyAdmission } from "../../../runtime/proxy/host/admission.js";
import { hashKeyOf } from "../../../runtime/proxy/upstream/hash-key.js";

const GENERATION = { number: 1, globalRules: [], pluginMetadata: new Map(), match: () => undefined };
const admission = { trusts: (address: string) => address === "10.0.0.1" };

/** Exchange of a request that a peer sends on behalf of 203.0.113.7. */
function exchangeFrom(remoteAddr: string) {
  const text = "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 6.6.6.6, ::ffff:cb00:7107\r\n\r\n";
  const head = parseRequestHead(text, 0, text.length, DEFAULT_LIMITS) as RequestHead;
  applyAdmission(head, remoteAddr, admission);
  const connection = { remoteAddr, remotePort: 1, serverAddr: "10.0.0.9", serverPort: 80, startedAt: 0 };
  const x = new GatewayExchange({ head, bytesSent: 0, connection }, GENERATION, "/", "");
  x.budget = { bufferedBytes: 0, limits: DEFAULT_LIMITS, admission };
  return x;
}

const keyOf = (settings: Partial<UpstreamTable>, peer: string) =>
  hashKeyOf(settings as UpstreamTable)(exchangeFrom(peer));

describe("the client's address behind a trusted proxy", () => {
  it("an upstream hashes by the client's address behind a trusted proxy, also if its key is absent", () => {
    expect(keyOf({}, "10.0.0.1")).toBe("203.0.113.7");
    expect(keyOf({ hashOn: "vars", hashKey: "remote_addr" }, "10.0.0.1")).toBe("203.0.113.7");
    expect(keyOf({ hashOn: "header", hashKey: "x-absent" }, "10.0.0.1")).toBe("203.0.113.7");
    expect(keyOf({ hashOn: "vars_combinations", hashKey: "$remote_addr/$host" }, "10.0.0.1")).toBe(
      "203.0.113.7/a",
    );
  });

  it("an upstream hashes by the peer's address if the peer is not trusted", () => {
    expect(keyOf({}, "10.0.0.2")).toBe("10.0.0.2");
    expect(exchangeFrom("10.0.0.2").request.headers.has("X-Forwarded-For")).toBe(false);
  });

  it("$realip_remote_addr is the address of the trusted proxy", () => {
    expect(exchangeFrom("10.0.0.1").variable("realip_remote_addr")).toBe("10.0.0.1");
    expect(exchangeFrom("10.0.0.1").remoteAddr).toBe("203.0.113.7");
  });
});
