import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAddress } from "../../../../plugins/captcha/service/http/address.js";
import { ManualClock } from "../../../support/captcha-clock.js";
import { CaptchaHarness, SITE } from "../../../support/verify-harness.js";

const address = (text: string) => {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};
const clock = new ManualClock();
let harness: CaptchaHarness;
beforeAll(async () => {
  harness = await CaptchaHarness.start({ clock });
});
afterAll(() => harness.stop());
const at = (text: string) => harness.issue(harness.binding(address(text)));

describe("a token that comes twice", () => {
  it("a double click is rejected without being counted: one token within ten seconds from one address", async () => {
    const person = address("192.0.2.7");
    const counted = () => harness.rates.count("token_rejected", person, SITE, 60);
    const token = await at("192.0.2.7");
    const before = counted();
    expect((await harness.verify(token, { query: "ip=192.0.2.7" })).body.success).toBe(true);
    for (const ip of ["192.0.2.7", "::ffff:192.0.2.7"])
      expect((await harness.verify(token, { query: `ip=${ip}` })).body.reason).toBe("already_used");
    clock.advance(9_900);
    await harness.verify(token, { query: "ip=192.0.2.7" });
    expect(counted()).toBe(before);
    // Later it is a replay, and from another address it is one at once.
    clock.advance(200);
    await harness.verify(token, { query: "ip=192.0.2.7" });
    expect(counted()).toBe(before + 1);
    const second = await at("192.0.2.7");
    await harness.verify(second, { query: "ip=192.0.2.7" });
    await harness.verify(second, { query: "ip=192.0.2.8" });
    expect(counted()).toBe(before + 2);
  });

  it("a repeat with another idempotency key is counted", async () => {
    const person = address("192.0.2.77");
    const token = await at("192.0.2.77");
    expect((await harness.verify(token, { query: "ip=192.0.2.77&idempotency_key=a" })).body.success).toBe(
      true,
    );
    expect((await harness.verify(token, { query: "ip=192.0.2.77&idempotency_key=a" })).body.success).toBe(
      true,
    );
    expect((await harness.verify(token, { query: "ip=192.0.2.99&idempotency_key=b" })).body.reason).toBe(
      "already_used",
    );
    expect(harness.rates.count("token_rejected", person, SITE, 60)).toBeGreaterThan(0);
  });
});
