import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addresses } from "../../../runtime/abi/text/addresses.js";

describe("address blocks", () => {
  const blocks = addresses("10.0.0.0/8", "192.168.1.7", "2001:db8::/32", "::1");

  it.each(["10.255.0.1", "192.168.1.7", "2001:db8:1::5", "::1", "0:0:0:0:0:0:0:1", "::ffff:10.1.2.3"])(
    "a list of address blocks contains %s",
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
  ])("a list of address blocks does not contain %j", (address) => expect(blocks.has(address)).toBe(false));

  it("an address block /0 contains every address of its family", () => {
    expect(addresses("0.0.0.0/0").has("8.8.8.8")).toBe(true);
    expect(addresses("::/0").has("2001::1")).toBe(true);
  });
});

describe("address blocks against node:net", () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const four = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join("."));
  const any = fc.oneof(
    four,
    fc.ipV6(),
    fc.constantFrom("::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"),
  );
  const block = fc.oneof(
    fc.tuple(four, fc.integer({ min: 0, max: 32 })),
    fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
  );
  const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

  it("an address block contains the addresses that BlockList of node:net contains", () => {
    fc.assert(
      fc.property(block, any, ([network, bits], address) => {
        const list = new BlockList();
        list.addSubnet(network, bits, family(network));
        // A mapped address (::ffff:1.2.3.4) counts as an IPv4 address and has its own case above.
        const same = family(network) === family(address) && !/ffff/i.test(address);
        if (!same) return;
        const expected = list.check(address, family(address));
        expect(addresses(`${network}/${bits}`).has(address)).toBe(expected);
      }),
    );
  });

  it("the blocks 0.0.0.0/0 and ::/0 contain exactly the texts that node:net accepts as addresses", () => {
    const text = fc.oneof(any, fc.stringMatching(/^[0-9.]{0,15}$/), fc.stringMatching(/^[0-9a-f:.]{0,20}$/));
    fc.assert(
      fc.property(text, (address) => {
        expect(addresses("0.0.0.0/0", "::/0").has(address)).toBe(isIP(address) !== 0);
      }),
      { numRuns: 1000 },
    );
  });
});
