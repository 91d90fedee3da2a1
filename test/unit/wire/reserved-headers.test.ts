import { describe, expect, it } from "vitest";
import {
  RESERVED_HEADERS,
  reservedHeaderFault,
  reserveHeaders,
} from "../../../runtime/abi/reserved-header-names.js";
import { WireFault } from "../../../runtime/http/fault.js";
import { isProtectedAlias, isReservedTrailer } from "../../../runtime/http/field-names.js";
import { DEFAULT_LIMITS } from "../../../runtime/http/limits.js";
import { parseRequestHead } from "../../../runtime/http/request-head.js";
import { applyAdmission, UNTRUSTED_ADMISSION } from "../../../runtime/proxy/host/admission.js";

/** Names of the headers that remain of a request with these, as clients spelled them. */
function kept(...names: string[]): string[] {
  const lines = names.map((name) => `${name}: v\r\n`).join("");
  const text = `GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;
  const head = parseRequestHead(text, 0, text.length, DEFAULT_LIMITS);
  if (head instanceof WireFault) throw new Error(head.reason);
  expect(applyAdmission(head, "203.0.113.7", UNTRUSTED_ADMISSION)).toBeUndefined();
  return head.headers.names();
}

// Names that no other test sends: files of a suite share the process, where a header stays reserved.
describe("reserved headers", () => {
  it("a request loses a header of any length that a plugin reserves, in any case, and its aliases", () => {
    for (let length = 2; length <= 64; length += 1) {
      const name = "qzjkvwxy-".repeat(8).slice(0, length).replace(/-$/, "z");
      const other = `${name.slice(0, -1)}0`;
      expect(kept(name, other)).toEqual([name, other]);
      reserveHeaders([name.toUpperCase()]);
      const aliases = name.includes("-") ? [name.replaceAll("-", "_"), name.replace("-", ".")] : [];
      expect(kept(name, name.toUpperCase(), other, ...aliases)).toEqual([other]);
    }
  });

  it("a request loses the reserved headers of the gateway", () => {
    expect(kept(...RESERVED_HEADERS, "x-consumer", "X_Consumer_Username")).toEqual(["x-consumer"]);
  });

  it("a header that two plugins reserve is reserved once", () => {
    reserveHeaders(["X-Twice-Id", "x-twice-id"]);
    reserveHeaders(["X-TWICE-ID", "X-Consumer-Groups"]);
    expect(kept("X-Twice-Id", "X_Twice_Id")).toEqual([]);
  });

  it("a trailer is reserved with a header of which it shares two words", () => {
    reserveHeaders(["X-Verdict-Result", "X-Qzlone"]);
    for (const name of ["x-verdict-result", "x-verdict-other", "x-qzlone"])
      expect(isReservedTrailer(name), name).toBe(true);
    for (const name of ["x-verdict", "x-verdicts-result", "x-qzlone-1", "x"])
      expect(isReservedTrailer(name), name).toBe(false);
  });

  it("the name of a reserved header is no alias of itself", () => {
    reserveHeaders(["X-Alias-Id"]);
    expect(["X-Alias-Id", "x-alias-id", "X-Alias_Id", "X.ALIAS.ID"].map(isProtectedAlias)).toEqual([
      ...[false, false, true, true],
    ]);
  });

  it.each([
    ["Content-Length", "the gateway reads it from clients"],
    ["X-Forwarded-For", "the gateway reads it from clients"],
    ["Authorization", "the gateway reads it from clients"],
    ["X_Tenant", "it is not letters and digits in words joined by hyphens"],
    ["X-Tenant-", "it is not letters and digits in words joined by hyphens"],
    ["", "it is not letters and digits in words joined by hyphens"],
    [`X-${"a".repeat(63)}`, "it is longer than 64 characters"],
  ])('the header "%s" cannot be reserved', (name, fault) => {
    expect(reservedHeaderFault(name)).toBe(fault);
    expect(() => reserveHeaders([name])).toThrow(fault);
  });
});
