import { describe, expect, it } from "vitest";
import { clientAddress, type RealIpHeader } from "../../../runtime/http/client-address.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { parseRequestHead, type RequestHead } from "../../../runtime/http/request-head.js";

const trusts = (address: string) => address.startsWith("10.") || address === "fd00::1";

/** Client address of a request from `peer` with these lines of the header. */
function clientOf(peer: string, realIpHeader: RealIpHeader, lines: readonly string[]): string {
  const fields = lines.map((line) => `${realIpHeader.toLowerCase()}:${line}\r\n`).join("");
  const text = `GET / HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
  const head = parseRequestHead(text, 0, text.length, DEFAULT_LIMITS) as RequestHead;
  return clientAddress(peer, head.headers, { trusts, realIpHeader });
}

describe("the address of the client", () => {
  it.each([
    ["192.0.2.1", [], "192.0.2.1"],
    ["192.0.2.1", ["203.0.113.7"], "192.0.2.1"],
    ["10.0.0.1", [], "10.0.0.1"],
    ["10.0.0.1", ["203.0.113.7"], "203.0.113.7"],
    ["10.0.0.1", ["198.51.100.1, 203.0.113.7"], "203.0.113.7"],
    ["10.0.0.1", ["198.51.100.1", " 203.0.113.7 ,10.0.0.2"], "203.0.113.7"],
    ["10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"],
    ["10.0.0.1", ["203.0.113.7, unknown, 10.0.0.2"], "10.0.0.2"],
    ["10.0.0.1", ["203.0.113.7:8080"], "203.0.113.7"],
    ["10.0.0.1", ["[2001:db8::7]:80"], "2001:db8::7"],
    ["10.0.0.1", ["[2001:DB8:0::7]"], "2001:db8::7"],
    ["10.0.0.1", ["[::ffff:a00:2]:443, 203.0.113.7:1, [::ffff:10.0.0.2]:65535"], "203.0.113.7"],
    ["10.0.0.1", ["203.0.113.7:"], "10.0.0.1"],
    ["10.0.0.1", ["203.0.113.7:123456"], "10.0.0.1"],
    ["10.0.0.1", ["[203.0.113.7]:80"], "10.0.0.1"],
    ["10.0.0.1", ["[2001:db8::7"], "10.0.0.1"],
    // Without brackets the last group is no port.
    ["10.0.0.1", ["2001:db8::7:80"], "2001:db8::7:80"],
    ["10.0.0.1", ["fe80::1%eth0"], "10.0.0.1"],
    ["10.0.0.1", ["::ffff:203.0.113.7"], "203.0.113.7"],
    ["fd00::1", ["2001:db8::7"], "2001:db8::7"],
    ["10.0.0.1", [""], "10.0.0.1"],
    ["10.0.0.1", [Array.from({ length: 40 }, () => "10.0.0.9").join(",")], "10.0.0.9"],
  ])("the client address of peer %s with %j is %s", (peer, forwarded, client) => {
    for (const field of ["X-Forwarded-For", "X-Real-IP"] as const)
      expect(clientOf(peer, field, forwarded)).toBe(client);
  });

  it.each([
    ["::ffff:a00:1", "10.0.0.1"],
    ["::FFFF:CB00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    ["0000:0000:0000:0000:0000:ffff:cb00:7107", "203.0.113.7"],
    ["0::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:DB8:0:0::7", "2001:db8::7"],
  ])("the client address has its canonical spelling when a proxy writes %s", (written, client) => {
    expect(clientOf("10.0.0.9", "X-Forwarded-For", [written])).toBe(client);
  });

  it("the client address is searched beyond a trusted hop that is written as mapped IPv6", () => {
    expect(clientOf("10.0.0.9", "X-Forwarded-For", ["203.0.113.7, ::ffff:a00:2"])).toBe("203.0.113.7");
  });

  it("the client address is searched beyond empty members of the list", () => {
    expect(clientOf("10.0.0.9", "X-Forwarded-For", ["203.0.113.7, ,", ""])).toBe("203.0.113.7");
  });

  it.each([
    [["for=203.0.113.7"], "203.0.113.7"],
    [['For=198.51.100.1, FOR="203.0.113.7:4711";proto=https'], "203.0.113.7"],
    [["by=10.0.0.9;for=203.0.113.7;host=a"], "203.0.113.7"],
    [['for="[2001:db8::7]:4711"'], "2001:db8::7"],
    [['for="[2001:db8::7]"', "for=10.0.0.3"], "2001:db8::7"],
    [["for=203.0.113.7, for=unknown"], "10.0.0.9"],
    [["for=203.0.113.7, for=_hidden, for=10.0.0.2"], "10.0.0.2"],
    [["proto=https"], "10.0.0.9"],
    [["for=203.0.113.7;for=6.6.6.6"], "10.0.0.9"],
    [['for=203.0.113.7;host="a;for=6.6.6.6;b"'], "203.0.113.7"],
    [['for=203.0.113.7;host="a, for=6.6.6.6"'], "203.0.113.7"],
    [['for=203.0.113.7;host="a\\", for=6.6.6.6"'], "203.0.113.7"],
    // A quote or an entry that a client left open does not swallow the entry that the proxy appended.
    [['for=", for="[2001:db8::7]"'], "2001:db8::7"],
    [['for="6.6.6.6, for=203.0.113.7'], "203.0.113.7"],
    [["for=6.6.6.6 for=203.0.113.7"], "10.0.0.9"],
    [["for=2001:db8::7"], "10.0.0.9"],
  ])("the client address by Forwarded %j is %s", (lines, client) => {
    expect(clientOf("10.0.0.9", "Forwarded", lines)).toBe(client);
  });

  it("the client address is read from the configured header only", () => {
    const text = "GET / HTTP/1.1\r\nHost: a\r\nX-Real-IP: 6.6.6.6\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n";
    const { headers } = parseRequestHead(text, 0, text.length, DEFAULT_LIMITS) as RequestHead;
    expect(clientAddress("10.0.0.9", headers, { trusts })).toBe("203.0.113.7");
    expect(clientAddress("10.0.0.9", headers, { trusts, realIpHeader: "Forwarded" })).toBe("10.0.0.9");
  });
});
