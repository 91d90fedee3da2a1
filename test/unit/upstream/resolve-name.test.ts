import { expect, it } from "vitest";
import { resolveName } from "../../../runtime/proxy/upstream/dns-cache.js";

it("a name of /etc/hosts resolves to its addresses, without a TTL", async () => {
  const { addresses, ttl } = await resolveName("localhost");
  expect(addresses.map(({ address }) => address)).toContain("127.0.0.1");
  expect(await ttl).toBeUndefined();
});

it("the lookup of a name that does not exist fails", async () => {
  await expect(resolveName("nobody.invalid")).rejects.toThrow();
});
