import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressBytes, networkOf, parseAddress } from "../../../../plugins/captcha/service/http/address.js";

describe("an address", () => {
  it.each([
    ["::", "::"],
    ["::1", "::1"],
    ["1::", "1::"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:DB8::A:0:0", "2001:db8::a:0:0"],
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
  ])("the address %s is written as %s (RFC 5952)", (text, canonical) => {
    expect(parseAddress(text)?.text).toBe(canonical);
  });

  it("an address has one text however it is spelled", () => {
    const groups = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff })), {
      minLength: 8,
      maxLength: 8,
    });
    fc.assert(
      fc.property(groups, (words) => {
        const long = words.map((word) => word.toString(16).padStart(4, "0").toUpperCase()).join(":");
        const parsed = parseAddress(long);
        expect(parsed).toBeDefined();
        const again = parseAddress(parsed?.text ?? "");
        expect(again).toEqual(parsed);
        if (parsed?.family === 6) expect(new URL(`http://[${long}]/`).hostname).toBe(`[${parsed.text}]`);
      }),
    );
  });

  it.each([
    "",
    " ",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.04",
    "1.2.3.256",
    "1.2.3.4:80",
    "[::1]",
    "fe80::1%1",
    "::1/64",
    "host",
    ":::",
  ])("%j is no address", (text) => expect(parseAddress(text)).toBeUndefined());

  it("an address belongs to the network of its first bits", () => {
    const of = (text: string, bits: number) => networkOf(addressBytes(text) ?? [], bits);
    expect(of("255.255.255.255", 0)).toBe("0.0.0.0/0");
    expect(of("255.255.255.255", 9)).toBe("255.128.0.0/9");
    expect(of("255.255.255.255", 32)).toBe("255.255.255.255/32");
    expect(of("2001:db8:ffff:ffff::", 56)).toBe("2001:db8:ffff:ff00::/56");
    expect(of("2001:db8::1", 128)).toBe("2001:db8::1/128");
  });
});
