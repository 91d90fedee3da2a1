import { describe, expect, it } from "vitest";
import { messageMaker, safeHostname } from "../../../../plugins/syslog/runtime/message.js";

describe("a syslog message", () => {
  it("[log.record.text.1] a syslog message has priority, version, UTC time in ms, host, name, pid and record", () => {
    const make = messageMaker(123, () => Date.UTC(2024, 0, 6, 2, 30, 59, 145));
    expect(make("shop.example.com", '{"status":200}')).toBe(
      '<46>1 2024-01-06T02:30:59.145Z shop.example.com gwc 123 - - {"status":200}',
    );
  });

  it("a syslog message has its own time, within a second and over its end", () => {
    let now = Date.UTC(2024, 1, 29, 23, 59, 59, 998);
    const make = messageMaker(1, () => now++);
    const times = Array.from({ length: 4 }, () => make("h", "{}").split(" ")[1]);
    expect(times).toEqual([
      "2024-02-29T23:59:59.998Z",
      "2024-02-29T23:59:59.999Z",
      "2024-03-01T00:00:00.000Z",
      "2024-03-01T00:00:00.001Z",
    ]);
  });

  it("the time of syslog messages follows a clock that is set back", () => {
    const times = [Date.UTC(2024, 0, 1, 0, 0, 10, 5), Date.UTC(2024, 0, 1, 0, 0, 9, 7)];
    const make = messageMaker(1, () => times.shift() ?? 0);
    expect(make("h", "{}")).toContain("00:00:10.005Z");
    expect(make("h", "{}")).toContain("00:00:09.007Z");
  });

  it("a syslog message has the host of its request, and - without one", () => {
    const make = messageMaker(1, () => 0);
    expect(["a", "a", "", "b"].map((host) => make(host, "{}").split(" ")[2])).toEqual(["a", "a", "-", "b"]);
  });

  it.each([
    ["", "-"],
    ["shop.example.com", "shop.example.com"],
    ["[::1]", "::1"],
    ["[2001:db8::7]", "2001:db8::7"],
    ["[]", "-"],
    ["[a b]\n", "[a?b]?"],
    ["a b", "a?b"],
    ["a\nb\r\0", "a?b??"],
    ["caf\xc3\xa9", "caf??"],
    ["h".repeat(256), "h".repeat(255)],
    [`${"h".repeat(255)}\n`, "h".repeat(255)],
  ])("the host %j becomes the hostname %j (RFC 5424 section 6.2.4)", (host, expected) => {
    expect(safeHostname(host)).toBe(expected);
  });
});
