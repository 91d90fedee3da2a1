import { describe, expect, it } from "vitest";
import { addresses } from "../../../runtime/text/addresses.js";

describe("address blocks", () => {
  const blocks = addresses("10.0.0.0/8", "192.168.1.7", "2001:db8::/32", "::1");

  it.each(["10.255.0.1", "192.168.1.7", "2001:db8:1::5", "::1", "0:0:0:0:0:0:0:1", "::ffff:10.1.2.3"])(
    "hold %s",
    (address) => expect(blocks.has(address)).toBe(true),
  );

  it.each([
    "11.0.0.1",
    "192.168.1.8",
    "2001:db9::1",
    "::2",
    "",
    "10.0.0",
    "10.0.0.1.",
    "fe80::1%eth0",
    10,
    undefined,
  ])("do not hold %j", (address) => expect(blocks.has(address)).toBe(false));

  it("hold everything with /0", () => {
    expect(addresses("0.0.0.0/0").has("8.8.8.8")).toBe(true);
    expect(addresses("::/0").has("2001::1")).toBe(true);
  });
});
