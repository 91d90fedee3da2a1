import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newApiKey } from "../../../plugins/captcha/service/verify/api-key.js";
import { type Gateway, startGateway } from "../../../runtime/control/embed.js";
import { tokenFrom } from "../../support/captcha-visitor.js";
import { freePort } from "../../support/ports.js";
import { exchange } from "../control/admin.js";
import { SITE_KEY, siteKey } from "./captcha-gateway.js";

let directory: string;
let gateway: Gateway | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-embedded-"));
});
afterEach(async () => {
  await gateway?.close(0);
  gateway = undefined;
  rmSync(directory, { recursive: true, force: true });
});

const { id, key } = newApiKey();
const anywhere = (setting: string) => ({ host: "127.0.0.1", port: 0, setting });

function start(section: object, store: boolean): Promise<Gateway> {
  const resources = {
    captcha: { listen: { port: 0 }, ...section },
    captcha_customers: [{ id: "shop" }],
    captcha_site_keys: [{ id: SITE_KEY, ...siteKey() }],
    captcha_api_keys: [{ id, customer: "shop", key }],
  };
  writeFileSync(join(directory, "gateway.json"), JSON.stringify(resources));
  return startGateway({
    ...{ paths: ["gateway.json"], directory, store },
    settings: {
      data: [anywhere("data")],
      admin: anywhere("admin"),
      status: anywhere("status"),
      metrics: null,
    },
  });
}

const port = () => gateway?.addresses["captcha"]?.[0]?.port ?? 0;
const verify = (token: string) =>
  exchange(port(), "GET", `/${SITE_KEY}/verify?jwt=${token}`, undefined, { "X-Api-Key": key });

describe("a gateway in one process", () => {
  it("a gateway in one process serves the captcha at a free port, and writes no files with store: false", async () => {
    gateway = await start({}, false);
    const token = await tokenFrom(`http://127.0.0.1:${port()}`, SITE_KEY);
    expect((await verify(token)).json["success"]).toBe(true);
    expect((await verify(token)).json["reason"]).toBe("already_used");
    const status = await exchange(gateway.addresses.status[0]?.port ?? 0, "GET", "/status/ready");
    expect(status.json["captcha"]).toEqual({ up: true });
    await gateway.close();
    gateway = undefined;
    expect(existsSync(join(directory, ".gwc"))).toBe(false);
  });

  it("a gateway in one process stores signing keys, claims and the secret", async () => {
    gateway = await start({}, true);
    const [used, fresh] = await Promise.all([
      tokenFrom(`http://127.0.0.1:${port()}`, SITE_KEY),
      tokenFrom(`http://127.0.0.1:${port()}`, SITE_KEY),
    ]);
    expect((await verify(used)).json["success"]).toBe(true);
    await gateway.close();
    gateway = await start({}, true);
    expect((await verify(used)).json["reason"]).toBe("already_used");
    expect((await verify(fresh)).json["success"]).toBe(true);
  });

  it("a gateway in one process has no captcha without the section", async () => {
    writeFileSync(join(directory, "gateway.json"), "{}");
    gateway = await startGateway({
      ...{ paths: ["gateway.json"], directory, store: false },
      settings: {
        data: [anywhere("data")],
        admin: anywhere("admin"),
        status: anywhere("status"),
        metrics: null,
      },
    });
    expect(gateway.addresses).not.toHaveProperty("captcha");
  });

  it("a gateway in one process fails to start with the captcha's reason", async () => {
    const taken = await freePort();
    const holder = createServer().listen(taken, "127.0.0.1");
    await expect(start({ listen: { port: taken } }, false)).rejects.toThrow(
      /the captcha failed to start: .*EADDRINUSE/,
    );
    holder.close();
    // A file in the place of the database.
    writeFileSync(join(directory, "captcha-store"), "");
    await expect(start({ store: { path: "captcha-store" } }, true)).rejects.toThrow(
      /the captcha failed to start: /,
    );
  });
});
