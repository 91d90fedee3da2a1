import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { SECTION } from "../captcha/captcha-admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const PAGE = "/gw/ui/plugin/captcha";
const DAY_MS = 86_400_000;
const FILED = `routes: [{ id: filed, uri: /filed, upstream: { nodes: { "127.0.0.1:9": 1 } } }]\n`;

describe.skipIf(WITHOUT_BROWSER)("changes on the captcha page", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  let key = "";
  beforeAll(async () => {
    harness = await DashboardHarness.open(`${SECTION}${FILED}`);
    await call("PUT", "captcha/customers/shop", { desc: "the shop", labels: { team: "a" } });
    await call("PUT", "captcha/customers/other", {});
    await call("PUT", "captcha/site-keys/sk_shop_front", { customer: "shop", hostnames: ["example.com"] });
    key = String((await call("POST", "captcha/api-keys", { customer: "shop" })).json["secret"]);
    for (const id of ["signup", "contact"])
      await call("PUT", `routes/${id}`, { uri: `/${id}`, upstream: { nodes: { "127.0.0.1:9": 1 } } });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  async function call(method: string, path: string, body?: object) {
    const answer = await harness.gateway.call(method, `/${path}`, body);
    expect([path, answer.status < 400]).toEqual([path, true]);
    return answer;
  }
  const kept = async (path: string) => (await call("GET", `captcha/${path}`)).json["value"];
  const customer = (id: string) => visit.page.getByRole("region", { name: `Customer ${id}` });
  const dialog = () => visit.page.getByRole("dialog");
  const live = () =>
    visit.page
      .getByText(/^Live, generation \d+$/)
      .last()
      .waitFor();
  const keyId = () => key.slice(4, 12);

  it("a conflicting change of a site key is shown with both versions and can be merged", async () => {
    visit = await harness.signedIn(`${PAGE}?open=sk_shop_front`);
    await visit.write(dialog().getByLabel("threshold", { exact: true }), "0.7");
    await call("PATCH", "captcha/site-keys/sk_shop_front", { theme: "dark", desc: "theirs" });
    await dialog().getByRole("button", { name: "Save site key" }).click();
    await dialog().getByText("Changed meanwhile").waitFor();
    expect(await kept("site-keys/sk_shop_front")).not.toHaveProperty("threshold");
    expect(await axeViolationsIn(visit.page)).toEqual([]);
    await dialog().getByRole("button", { name: "Merge" }).click();
    await dialog().getByRole("button", { name: "Save site key" }).click();
    await live();
    const merged = { theme: "dark", desc: "theirs", threshold: 0.7 };
    expect(await kept("site-keys/sk_shop_front")).toMatchObject(merged);
  });

  it("a conflicting change of a customer is resolved by keeping the other version or by overwriting it", async () => {
    visit = await harness.signedIn(PAGE);
    await customer("shop").getByRole("button", { name: "Edit shop" }).click();
    await visit.write(dialog().getByLabel("desc", { exact: true }), "mine");
    await call("PATCH", "captcha/customers/shop", { desc: "theirs" });
    await dialog().getByRole("button", { name: "Save", exact: true }).click();
    await dialog().getByRole("button", { name: "Keep theirs" }).click();
    expect(await dialog().getByLabel("desc", { exact: true }).inputValue()).toBe("theirs");
    await visit.write(dialog().getByLabel("desc", { exact: true }), "mine");
    await call("PATCH", "captcha/customers/shop", { desc: "theirs again" });
    await dialog().getByRole("button", { name: "Save", exact: true }).click();
    await dialog().getByRole("button", { name: "Save mine" }).click();
    await dialog().waitFor({ state: "detached" });
    await customer("shop").getByText("mine").waitFor();
    expect(await kept("customers/shop")).toMatchObject({ desc: "mine", labels: { team: "a" } });
  });

  it("an API key receives a description and an expiry, of which the page warns, and loses the expiry again", async () => {
    visit = await harness.signedIn(PAGE);
    const { page } = visit;
    await customer("shop")
      .getByRole("button", { name: `Edit ${keyId()}` })
      .click();
    await dialog().getByRole("textbox", { name: "Description" }).fill("backend");
    const soon = new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 16);
    await dialog().getByLabel("Expires").fill(soon);
    await dialog().getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(`API key ${keyId()} of shop expires in 3 days`).waitFor();
    await customer("shop").getByText("expires soon").waitFor();
    const expires = await page.evaluate(`new Date("${soon}").toISOString()`);
    expect(await kept(`api-keys/${keyId()}`)).toMatchObject({
      desc: "backend",
      expires: String(expires).replace(".000Z", "Z"),
    });
    expect(await axeViolationsIn(page)).toEqual([]);
    await customer("shop")
      .getByRole("button", { name: `Edit ${keyId()}` })
      .click();
    await dialog().getByLabel("Expires").fill("");
    await dialog().getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("expires soon").waitFor({ state: "detached" });
    expect(await kept(`api-keys/${keyId()}`)).not.toHaveProperty("expires");
    expect(await kept(`api-keys/${keyId()}`)).toHaveProperty("desc", "backend");
  });

  it("a route is protected only with working keys, and the page explains why others do not work", async () => {
    visit = await harness.signedIn(PAGE);
    const protecting = visit.page.getByRole("dialog", { name: "Protect a route" });
    const go = () => protecting.getByRole("button", { name: "Protect route" }).click();
    await call("PATCH", "captcha/site-keys/sk_shop_front", { enabled: false });
    await customer("shop").getByRole("button", { name: "Protect a route with sk_shop_front" }).click();
    await protecting.getByRole("combobox", { name: "Route" }).fill("signup");
    await protecting.getByLabel("API key").fill("${{NOBODY_SET_THIS}}");
    await go();
    await protecting.getByText("The gateway has no such variable.").waitFor();
    await protecting.getByText("The site key is disabled. Enable it first.").waitFor();
    expect(await axeViolationsIn(visit.page)).toEqual([]);
    expect((await call("GET", "routes/signup")).json["value"]).not.toHaveProperty("plugins");
    await call("PATCH", "captcha/site-keys/sk_shop_front", { enabled: null });
    await protecting.getByLabel("API key").fill(key);
    await go();
    await protecting.waitFor({ state: "detached" });
    await live();
    const plugins = { captcha: { site_key: "sk_shop_front" } };
    expect((await call("GET", "routes/signup")).json["value"]).toMatchObject({ plugins });
    await customer("shop").getByRole("button", { name: "Protect a route with sk_shop_front" }).click();
    await protecting.getByRole("combobox", { name: "Route" }).fill("signup");
    await protecting.getByText("This route has the captcha already, with sk_shop_front.").waitFor();
  });

  it("an API key that is made for a route protects it and is not shown", async () => {
    visit = await harness.signedIn(`${PAGE}?q=shop`);
    const protecting = visit.page.getByRole("dialog", { name: "Protect a route" });
    await customer("shop").getByRole("button", { name: "Protect a route with sk_shop_front" }).click();
    await protecting.getByRole("combobox", { name: "Route" }).fill("contact");
    await protecting.getByRole("button", { name: "Make one" }).click();
    await protecting.getByText(/^API key \w{8} is made and stands here/).waitFor();
    await protecting.getByRole("button", { name: "Protect route" }).click();
    await protecting.waitFor({ state: "detached" });
    await customer("shop").getByText("route contact").waitFor();
    const plugins = { captcha: { site_key: "sk_shop_front" } };
    expect((await call("GET", "routes/contact")).json["value"]).toMatchObject({ plugins });
    expect(await visit.page.content()).not.toMatch(/spk_\w{8}_/);
    expect(new URL(visit.page.url()).search).toBe("?q=shop");
  });

  it("the page explains why a route cannot be protected and makes no unused API key", async () => {
    visit = await harness.signedIn(PAGE);
    const { page } = visit;
    const protecting = page.getByRole("dialog", { name: "Protect a route" });
    const route = protecting.getByRole("combobox", { name: "Route" });
    const make = protecting.getByRole("button", { name: "Make one" });
    await customer("shop").getByRole("button", { name: "Protect a route with sk_shop_front" }).click();
    await route.fill("nowhere");
    await protecting.getByText("There is no route nowhere. Add it first").waitFor();
    expect(await make.isDisabled()).toBe(true);
    await route.fill("file");
    await page.getByRole("option", { name: "filed" }).click();
    await protecting.getByText(/^This route stands in gateway\.yaml:\S+ and is changed there/).waitFor();
    await protecting.getByText("site_key: sk_shop_front").waitFor();
    expect(await make.isDisabled()).toBe(true);
    expect(await axeViolationsIn(page)).toEqual([]);
  });

  it("a new site key shows no error before anything is entered", async () => {
    visit = await harness.signedIn(PAGE);
    await customer("shop").getByRole("button", { name: "Add site key" }).click();
    await dialog().getByText("What the compiler says stands here once something is entered").waitFor();
    expect(await dialog().getByRole("alert").count()).toBe(0);
    await dialog().getByLabel("desc", { exact: true }).fill("the shop's");
    await dialog().getByText("list the hosts of the pages that show the widget").waitFor();
  });

  it("the URL contains the search, and the plugins page shows the search of its URL", async () => {
    visit = await harness.signedIn(PAGE);
    const { page } = visit;
    await customer("other").waitFor();
    await page.getByRole("searchbox", { name: "Search customers and keys" }).fill("sk_shop");
    await customer("other").waitFor({ state: "detached" });
    await expect.poll(() => new URL(page.url()).search).toBe("?q=sk_shop");
    await customer("shop").getByRole("button", { name: "sk_shop_front", exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("open")).toBe("sk_shop_front");
    await page.keyboard.press("Escape");
    expect(new URL(page.url()).searchParams.get("q")).toBe("sk_shop");
    await visit.close();
    visit = await harness.signedIn("/gw/ui/plugins?q=logger");
    await visit.page.getByText("http-logger", { exact: true }).waitFor();
    expect(await visit.page.getByText("key-auth", { exact: true }).count()).toBe(0);
    await visit.page.getByRole("searchbox").fill("key-auth");
    await expect.poll(() => new URL(visit.page.url()).search).toBe("?q=key-auth");
  });

  it("a site key is disabled or deleted after its route is named, and a disabled customer can be undone", async () => {
    visit = await harness.signedIn(PAGE);
    const { page } = visit;
    await customer("shop").getByRole("button", { name: "Disable sk_shop_front" }).click();
    await dialog().getByText("routes/signup").waitFor();
    await dialog().getByRole("button", { name: "Disable" }).click();
    await page.getByText("Site key sk_shop_front is disabled").waitFor();
    expect(await kept("site-keys/sk_shop_front")).toMatchObject({ enabled: false });
    await customer("shop").getByRole("button", { name: "Enable sk_shop_front" }).click();
    await page.getByText("Site key sk_shop_front is enabled").waitFor();
    await customer("shop").getByRole("button", { name: "Delete sk_shop_front" }).click();
    await dialog().getByText("routes/signup").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await customer("shop").getByRole("button", { name: "Disable shop" }).click();
    await dialog().getByRole("button", { name: "Disable" }).click();
    await page.getByText("Customer shop is disabled").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => JSON.stringify(await kept("customers/shop"))).not.toContain("enabled");
  });
});
