import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { ADMIN_KEY, UPSTREAM, VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const FILE = `routes:
  - id: of-a-file
    uri: /of-a-file
    upstream: { nodes: { "127.0.0.1:9": 1 } }
`;
/** Markup that would change the title or the page if it were not shown as text. */
const HOSTILE = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>`;

describe.skipIf(WITHOUT_BROWSER)("states of the dashboard", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(FILE);
  });
  afterAll(() => harness?.close());
  afterEach(async () => {
    await visit.close();
  });

  const put = (id: string, value: object) =>
    harness.gateway.call("PUT", `/routes/${id}`, { uri: `/${id}`, upstream: UPSTREAM, ...value });

  it("the sign-in reports a wrong key and accepts the right one", async () => {
    visit = await harness.signedIn("/gw/ui/routes", {}, "not-a-key");
    await visit.page.getByText("This is not one of its keys.").waitFor();
    await visit.signIn(ADMIN_KEY);
    await visit.page.getByRole("heading", { name: "Routes", level: 1 }).waitFor();
  });

  it("a key is in neither storage, cookies nor URL, and is required again after a reload", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await page.getByRole("heading", { name: "Routes", level: 1 }).waitFor();
    const kept = await page.evaluate(
      "JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])",
    );
    expect(kept).not.toContain(ADMIN_KEY);
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await page.getByLabel("Admin key").waitFor();
  });

  it('a form reports a schema that could not be loaded and loads it on "Try again"', async () => {
    visit = await harness.visit("/gw/ui/new/upstreams");
    const { page } = visit;
    await page.route("**/schema/upstream", (route) =>
      route.fulfill({ status: 500, json: { error_msg: "no schema now" } }),
    );
    await visit.signIn(ADMIN_KEY);
    await page.getByText("no schema now").waitFor();
    await page.unroute("**/schema/upstream");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("textbox", { name: "name", exact: true }).waitFor();
  });

  it("an empty service list explains services and links to a new one", async () => {
    visit = await harness.signedIn("/gw/ui/services");
    await visit.page.getByText("A service holds what several routes share").waitFor();
    await visit.page.getByRole("link", { name: "Add service" }).last().click();
    await visit.page.getByRole("heading", { name: "Add service" }).waitFor();
  });

  it("a list search shows the matches, and reports when there are none", async () => {
    await put("found-by-name", { name: "The Needle" });
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await page.getByRole("searchbox", { name: "Search" }).fill("needle");
    await page.getByRole("link", { name: "found-by-name" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "of-a-file" }).count()).toBe(0);
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toContain("needle");
    await page.getByRole("searchbox", { name: "Search" }).fill("needle nowhere");
    await page.getByText("Nothing here holds all these words.").waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await page.getByRole("link", { name: "of-a-file" }).waitFor();
  });

  it('a viewer sees a route with a disabled Save, and the list with a disabled "Add route"', async () => {
    await put("of-an-admin", {});
    visit = await harness.signedIn("/gw/ui/routes/of-an-admin", {}, VIEWER_KEY);
    const { page } = visit;
    await page.getByRole("heading", { name: "of-an-admin" }).waitFor();
    expect(await page.getByRole("textbox", { name: "uri", exact: true }).isEditable()).toBe(false);
    expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
    await page.getByRole("navigation").getByRole("link", { name: "Routes" }).click();
    expect(await page.getByRole("button", { name: "Add route" }).isDisabled()).toBe(true);
  });

  it("a resource of a file is shown read-only with its location", async () => {
    visit = await harness.signedIn("/gw/ui/routes/of-a-file");
    const { page } = visit;
    await page.getByText("Set in gateway.yaml:2:9").waitFor();
    expect(await page.getByRole("textbox", { name: "uri", exact: true }).isEditable()).toBe(false);
    expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  });

  it("a form shows diagnostics while the user types, and an invalid save changes nothing", async () => {
    await put("checked", {});
    visit = await harness.signedIn("/gw/ui/routes/checked");
    const { page } = visit;
    await page.getByRole("textbox", { name: "uri", exact: true }).fill("no-slash");
    await page.getByText(`"uri" must be a path that starts with '/'`).first().waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Refused, nothing has changed").waitFor();
    const { json } = await harness.gateway.call("GET", "/routes/checked");
    expect((json["value"] as { uri: string }).uri).toBe("/checked");
  });

  it("form, YAML and JSON show the same draft, and a save can be undone", async () => {
    await put("in-step", {});
    visit = await harness.signedIn("/gw/ui/routes/in-step");
    const { page } = visit;
    await page.getByRole("textbox", { name: "name", exact: true }).first().fill("by the form");
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-content", { hasText: "name: by the form" }).waitFor();
    await page.getByRole("tab", { name: "JSON", exact: true }).click();
    await page.locator(".cm-content", { hasText: '"name": "by the form"' }).waitFor();
    await visit.save();
    const nameNow = async () =>
      ((await harness.gateway.call("GET", "/routes/in-step")).json["value"] as { name?: string }).name;
    expect(await nameNow()).toBe("by the form");
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText(/^Undone, generation/).waitFor();
    expect(await nameNow()).toBeUndefined();
  });

  it('a conflicting save shows both versions, and "Save mine" overwrites the other one', async () => {
    await put("contested", {});
    visit = await harness.signedIn("/gw/ui/routes/contested");
    const { page } = visit;
    await page.getByRole("textbox", { name: "name", exact: true }).first().fill("mine");
    await put("contested", { name: "theirs" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Changed meanwhile").waitFor();
    const both = page.getByRole("alert").filter({ hasText: "Changed meanwhile" });
    await both.getByText("- name: theirs").waitFor();
    await both.getByText("+ name: mine").waitFor();
    await page.getByRole("button", { name: "Save mine" }).click();
    await page.getByText(/^Live, generation/).waitFor();
    const { json } = await harness.gateway.call("GET", "/routes/contested");
    expect((json["value"] as { name: string }).name).toBe("mine");
  });

  it("a conflicting save can be merged, retains the user's value in conflicts, and is saved only by Save", async () => {
    await put("merged", {});
    visit = await harness.signedIn("/gw/ui/routes/merged");
    const { page } = visit;
    await page.getByRole("textbox", { name: "name", exact: true }).first().fill("mine");
    await put("merged", { name: "theirs", desc: "said by them" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText(/^Both changed name: merged, yours is kept there/).waitFor();
    await page.getByRole("button", { name: "Merge" }).click();
    const there = async () => (await harness.gateway.call("GET", "/routes/merged")).json["value"];
    expect(await there()).toMatchObject({ name: "theirs" });
    await visit.save();
    expect(await there()).toMatchObject({ name: "mine", desc: "said by them" });
  });

  it("a route can be disabled while text is typed, which is retained and saved without a conflict", async () => {
    await put("half-typed", { upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/half-typed");
    const { page } = visit;
    const there = async () => (await harness.gateway.call("GET", "/routes/half-typed")).json["value"];
    const disable = async () => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Disable" }).click();
      await page.getByText("disabled", { exact: true }).first().waitFor();
    };
    const name = page.getByRole("textbox", { name: "name", exact: true }).first();
    await name.fill("typed before");
    await disable();
    expect(await name.inputValue()).toBe("typed before");
    expect(await there()).not.toHaveProperty("name");
    await visit.save();
    expect(await there()).toMatchObject({ name: "typed before", status: 0 });
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Enable" }).click();
    await page.getByText("disabled", { exact: true }).first().waitFor({ state: "detached" });
    await page.locator(".cm-content", { hasText: "status: 1" }).waitFor();
  });

  it("a route can be disabled and enabled in one step, and the change can be undone", async () => {
    await put("switched", { upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/switched");
    const { page } = visit;
    const turn = async (to: string) => {
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: to }).click();
    };
    const status = async () => (await harness.traffic("/switched")).status;
    await turn("Disable");
    await page.getByText("disabled", { exact: true }).first().waitFor();
    expect(await status()).toBe(404);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText(/^Undone, generation/).waitFor();
    expect(await status()).toBe(502);
    await turn("Disable");
    await turn("Enable");
    await expect.poll(status).toBe(502);
  });

  it("a route is deleted after a question and restored by Undo", async () => {
    await put("short-lived", { name: "short" });
    visit = await harness.signedIn("/gw/ui/routes/short-lived");
    const { page } = visit;
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("short-lived is deleted").waitFor();
    expect((await harness.gateway.call("GET", "/routes/short-lived")).status).toBe(404);
    await page.getByRole("button", { name: "Undo" }).last().click();
    await page.getByText(/^Undone, generation/).waitFor();
    const { json } = await harness.gateway.call("GET", "/routes/short-lived");
    expect((json["value"] as { name: string }).name).toBe("short");
  });

  it("the way back to a deleted resource shows no editor", async () => {
    await harness.gateway.call("PUT", "/routes/was-there", { uri: "/was-there", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/was-there");
    const { page } = visit;
    await page.locator("#resource_uri").waitFor();
    await visit.go("/gw/ui/routes");
    await page.getByRole("heading", { name: "Routes", level: 1 }).waitFor();
    await harness.gateway.call("DELETE", "/routes/was-there");
    // Older than the age at which the page loads the resource again.
    await page.waitForTimeout(2_100);
    await page.goBack();
    await page.getByRole("alert").filter({ hasText: "Key not found" }).waitFor();
    expect(await page.locator("#resource_uri").count()).toBe(0);
  });

  it("the question before a deletion names all resources that refer to the deleted one", async () => {
    await harness.gateway.call("PUT", "/upstreams/named", UPSTREAM);
    for (const id of ["first-user", "second-user"])
      await harness.gateway.call("PUT", `/routes/${id}`, { uri: `/${id}`, upstream_id: "named" });
    visit = await harness.signedIn("/gw/ui/upstreams/named");
    const { page } = visit;
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText("2 resources name it").waitFor();
    await page.getByRole("dialog").getByText("routes/first-user, routes/second-user").waitFor();
  });

  it("stored markup is shown as text in list, page, palette and findings", async () => {
    await put("hostile", { name: HOSTILE, desc: HOSTILE, labels: { team: "x" } });
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await page.getByRole("link", { name: "hostile" }).click();
    await page.getByRole("heading", { name: "hostile" }).waitFor();
    for (const tab of ["YAML", "JSON"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
      await page.locator(".cm-content").waitFor();
    }
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByRole("textbox", { name: "uri", exact: true }).fill(HOSTILE);
    await page.getByRole("tab", { name: /^Findings: \d/ }).waitFor();
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Page, action, id, name or path").fill("hostile");
    await page.getByText("Route ·").first().waitFor();
    expect(await page.title()).toBe("hostile · Routes · gwc");
    expect(await page.locator("img").count()).toBe(0);
  });

  it("the shortcuts g u, / and ? open the upstreams, the search and the help", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await page.getByRole("link", { name: "of-a-file" }).waitFor();
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.type")).toBe("search");
    await page.keyboard.press("Escape");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Find anything").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("g");
    await page.keyboard.press("u");
    await page.getByRole("heading", { name: "Upstreams", level: 1 }).waitFor();
  });

  it("the palette finds resources of several kinds", async () => {
    await harness.gateway.call("PUT", "/consumers", { username: "sought_consumer" });
    await harness.gateway.call("PUT", "/plugin_configs/sought-config", { plugins: {} });
    await harness.gateway.call("PUT", "/plugin_metadata/broker-logger", { log_format: { host: "$host" } });
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    let title = "Routes";
    for (const id of ["sought_consumer", "sought-config", "broker-logger"]) {
      // By name, since the sign-in, which a slow machine still shows, has a heading too.
      await page.getByRole("heading", { name: title, level: 1 }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByPlaceholder("Page, action, id, name or path").fill(id);
      await page.getByRole("dialog").getByText(id).first().click();
      title = id;
    }
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
  });

  it("a route search finds plugins of services and plugin configurations", async () => {
    const echo = { plugins: { "response-rewrite": { status_code: 200 } } };
    const auth = { plugins: { "key-auth": {} } };
    await harness.gateway.call("PUT", "/plugin_configs/brings", echo);
    await harness.gateway.call("PUT", "/services/brings", {
      plugin_config_id: "brings",
      upstream: UPSTREAM,
      ...auth,
    });
    await put("by-service", { service_id: "brings" });
    await put("by-config", { plugin_config_id: "brings" });
    visit = await harness.signedIn("/gw/ui/routes?q=plugin%3Aresponse");
    const { page } = visit;
    for (const name of ["by-service", "by-config"]) await page.getByRole("link", { name }).waitFor();
    await page.getByRole("searchbox", { name: "Search" }).fill("plugin:key-auth");
    await page.getByRole("link", { name: "by-config" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "by-service" }).waitFor();
  });

  it("the dashboard is Russian in a Russian browser", async () => {
    visit = await harness.visit("/gw/ui/routes", { locale: "ru-RU" });
    const { page } = visit;
    await page.getByLabel("Ключ администратора").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Маршруты", level: 1 }).waitFor();
    expect(await page.evaluate("document.documentElement.lang")).toBe("ru");
  });
});
