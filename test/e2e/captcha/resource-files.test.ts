// Captcha resources in files: static, adopted and reloaded like others.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adopt } from "../../../cli/resources.js";
import { ADMIN_KEY, type AdminGateway } from "../control/admin.js";
import { CaptchaAdmin, SECTION } from "./captcha-admin.js";

describe("files", () => {
  const moved = (customers: string, theme: string) =>
    `${SECTION}captcha_customers:\n  - { id: ${customers} }\ncaptcha_site_keys:
  - { id: sk_moved_here, customer: mover, hostnames: [example.com], theme: ${theme} }\n`;
  let captcha: CaptchaAdmin;
  let own: AdminGateway;
  beforeAll(async () => {
    captcha = await CaptchaAdmin.start();
    own = captcha.admin;
  });
  afterAll(() => captcha.stop());

  const themeServed = async () => (await captcha.frameOf("sk_moved_here"))["theme"];

  it("files take over stored resources by gwc adopt, and a reload reads them again", async () => {
    await own.call("PUT", "/captcha/customers/stays", {});
    await own.call("PUT", "/captcha/site-keys/sk_moved_here", {
      ...{ customer: "stays", hostnames: ["example.com"], theme: "dark" },
    });
    expect(await themeServed()).toBe("dark");
    const gwcAdopt = (name: string) =>
      adopt(name, { key: ADMIN_KEY, admin: `http://127.0.0.1:${own.port("admin")}` });
    expect(await gwcAdopt("captcha/site-keys/sk_moved_here")).toBe(1);
    expect(captcha.logged.join("")).toContain(
      "no configuration file defines captcha/site-keys/sk_moved_here",
    );
    own.write(moved("mover", "light"));
    expect(await own.gateway.reload()).toBe(false);
    expect(await gwcAdopt("captcha/site-keys/sk_moved_here")).toBe(0);
    expect(await themeServed()).toBe("light");
    own.write(moved("mover", "auto"));
    expect(await own.gateway.reload()).toBe(true);
    expect(await themeServed()).toBe("auto");
  });

  it("files that break a reference are rejected as a whole, and the running configuration stays", async () => {
    own.write(moved("somebody-else", "dark"));
    expect(await own.gateway.reload()).toBe(false);
    expect(captcha.logged.join("")).toMatch(
      /GW3010: \\"customer\\" refers to captcha_customer \\"mover\\", which does not exist/,
    );
    expect(await themeServed()).toBe("auto");
  });

  it.each(["sk_moved_here", "captcha/sk_moved_here/", "captcha/site-keys/a/b"])(
    "gwc adopt rejects the name %s",
    async (name) => {
      expect(await adopt(name, { key: ADMIN_KEY, admin: "http://127.0.0.1:1" })).toBe(2);
    },
  );
});
