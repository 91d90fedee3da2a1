import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../plugins/captcha/service/http/address.js";
import { CaptchaHarness, SITE } from "../../../support/verify-harness.js";

const address = (text: string) => {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};

let harness: CaptchaHarness;
beforeAll(async () => {
  harness = await CaptchaHarness.start();
});
afterAll(() => harness.stop());

describe("the address", () => {
  const at = (text: string) => harness.issue(harness.binding(address(text)));
  const last = () => harness.records.at(-1);

  it.each([
    ["the same", "203.0.113.7", "203.0.113.7", "same"],
    ["[A18] a neighbour in /24", "203.0.113.7", "203.0.113.250", "same"],
    ["[A18] mapped IPv6", "203.0.113.7", "::ffff:203.0.113.9", "same"],
    ["[A18] mapped IPv6 in digits", "203.0.113.7", "::ffff:cb00:7109", "same"],
    ["a neighbour in /56", "2001:db8:0:1234::1", "2001:db8:0:12ff::9", "same"],
    ["another spelling of IPv6", "2001:db8::1", "2001:0DB8:0:0:0:0:0:1", "same"],
  ])("the address %s passes", async (_name, solved, used, ip) => {
    const { body } = await harness.verify(await at(solved), { query: `ip=${encodeURIComponent(used)}` });
    expect(body.success).toBe(true);
    expect(last()?.ip).toBe(ip);
  });

  it.each([
    ["[A18] [C45] another /24", "203.0.113.7", "203.0.114.7"],
    ["another /56", "2001:db8:0:1234::1", "2001:db8:0:1334::1"],
    ["[A18] another family", "203.0.113.7", "2001:db8::1"],
    ["another family the other way", "2001:db8::1", "203.0.113.7"],
    ["an address of IPv4 within one of IPv6", "203.0.113.7", "64:ff9b::203.0.113.7"],
  ])(
    "the address %s is ip_mismatch, and the token is still good at its own address",
    async (_name, solved, used) => {
      const token = await at(solved);
      const { status, body } = await harness.verify(token, { query: `ip=${used}` });
      expect([status, body]).toEqual([200, { success: false, error: "invalid_jwt", reason: "ip_mismatch" }]);
      expect(last()).toMatchObject({ success: false, reason: "ip_mismatch", ip: "mismatch" });
      expect((await harness.verify(token, { query: `ip=${solved}` })).body.success).toBe(true);
    },
  );

  it("an absent address passes, and the audit records it as absent", async () => {
    expect((await harness.verify(await at("203.0.113.7"))).body.success).toBe(true);
    expect(last()?.ip).toBe("absent");
  });

  it("[A18] dual_stack accepts the other family, which the audit records, and rejects another network", async () => {
    harness.change(SITE, { ipBinding: "dual_stack" });
    const ask = async (used: string) => {
      const token = await harness.issue(harness.binding(address("203.0.113.7"), "dual_stack"));
      return (await harness.verify(token, { query: `ip=${used}` })).body.success;
    };
    expect([await ask("2001:db8::1"), last()?.ip]).toEqual([true, "family_differs"]);
    expect([await ask("203.0.113.250"), last()?.ip]).toEqual([true, "same"]);
    expect([await ask("203.0.114.7"), last()?.ip]).toEqual([false, "mismatch"]);
  });

  it("exact accepts only the one address, off accepts all, and a malformed binding is rejected", async () => {
    const exact = () => harness.issue(harness.binding(address("203.0.113.7"), "exact"));
    const ask = async (token: Promise<string>, ip: string) =>
      (await harness.verify(await token, { query: `ip=${ip}` })).body.success;
    harness.change(SITE, { ipBinding: "exact" });
    expect(await ask(exact(), "203.0.113.7")).toBe(true);
    expect(await ask(exact(), "203.0.113.8")).toBe(false);
    expect(await ask(exact(), "2001:db8::1")).toBe(false);
    harness.change(SITE, { ipBinding: "off" });
    expect(await ask(exact(), "198.51.100.1")).toBe(true);
    expect(last()?.ip).toBe("off");
    harness.change(SITE, { ipBinding: "prefix" });
    expect(await ask(harness.issue({ ipb: "no/binding" }), "203.0.113.7")).toBe(false);
  });

  it("a token binds the network by a keyed hash that differs in another installation", async () => {
    const { ipb } = harness.binding(address("203.0.113.7"));
    expect(ipb).toMatch(/^4\/24\/[\w-]{43}$/);
    const other = await CaptchaHarness.start();
    expect(other.binding(address("203.0.113.7")).ipb).not.toBe(ipb);
    expect(harness.binding(address("203.0.113.200")).ipb).toBe(ipb);
    await other.stop();
  });

  it("five wrong addresses use the token up, and the fifth still gets ip_mismatch", async () => {
    const token = await at("203.0.113.7");
    for (let i = 0; i < 5; i++)
      expect((await harness.verify(token, { query: "ip=198.51.100.1" })).body.reason).toBe("ip_mismatch");
    expect((await harness.verify(token, { query: "ip=203.0.113.7" })).body.reason).toBe("already_used");
  });

  it("four wrong addresses leave the token good", async () => {
    const token = await at("203.0.113.7");
    for (let i = 0; i < 4; i++) await harness.verify(token, { query: "ip=198.51.100.1" });
    expect((await harness.verify(token, { query: "ip=203.0.113.7" })).body.success).toBe(true);
  });

  it("a rejected token counts for the network of the reported address", async () => {
    const stranger = address("192.0.2.55");
    await harness.verify(await at("203.0.113.7"), { query: "ip=192.0.2.55" });
    expect(harness.rates.count("token_rejected", stranger, SITE, 60)).toBe(1);
    const token = await at("192.0.2.1");
    await harness.verify(token, { query: "ip=192.0.2.55" });
    await harness.verify(token, { query: "ip=192.0.2.56" });
    expect(harness.rates.count("token_rejected", stranger, SITE, 60)).toBe(2);
  });
});
