import { expect, it } from "vitest";
import { resolveName } from "../../../runtime/proxy/upstream/resolve-name.js";

it("finds names of /etc/hosts, which have no time", async () => {
  const { addresses, ttl } = await resolveName("localhost");
  expect(addresses.map(({ address }) => address)).toContain("127.0.0.1");
  expect(await ttl).toBeUndefined();
});

it("fails for a name that nobody has", async () => {
  await expect(resolveName("nobody.invalid")).rejects.toThrow();
});
