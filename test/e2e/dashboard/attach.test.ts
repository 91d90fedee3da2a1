import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const FILE = `routes:
  - { id: filed, uri: /filed, labels: { team: shop }, upstream: { nodes: { "127.0.0.1:9": 1 } } }
`;
const LINES = 45;

describe.skipIf(WITHOUT_BROWSER)("a plugin configuration that many resources use", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(FILE);
    for (const id of ["shared", "before"])
      await put(`plugin_configs/${id}`, {
        plugins: { "response-rewrite": { headers: { set: { "X-By": id } } } },
      });
    await put("services/front", { upstream: UPSTREAM, hosts: ["shop.test"] });
    for (let at = 0; at < LINES; at++)
      await put(`routes/r${at}`, {
        uri: `/r${at}`,
        labels: { team: at < 42 ? "shop" : "shopping" },
        upstream: UPSTREAM,
      });
    await put("routes/other", {
      uri: "/other",
      labels: { team: "shop" },
      plugin_config_id: "before",
      upstream: UPSTREAM,
    });
    for (const id of ["s1", "s2"]) await put(`routes/${id}`, { uri: `/${id}`, service_id: "front" });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  async function put(path: string, value: object) {
    expect((await harness.gateway.call("PUT", `/${path}`, value)).status).toBe(201);
  }
  const named = async (path: string) => {
    const { json } = await harness.gateway.call("GET", `/${path}`);
    return (json["value"] as Record<string, unknown>)["plugin_config_id"];
  };
  const field = () => visit.page.getByRole("combobox", { name: "Routes and services" });
  const dialog = () => visit.page.getByRole("dialog");
  const uses = () => visit.page.getByRole("region", { name: "Used by" });

  it("a plugin configuration is attached to all matching resources, after a count of routes and replacements", async () => {
    visit = await harness.signedIn("/gw/ui/plugin_configs/shared");
    const { page } = visit;
    await uses().getByText("Nothing names it yet.").waitFor();
    await uses().getByRole("button", { name: "Attach…" }).click();
    await dialog().getByText("1 more stands in a file and is changed there.").waitFor();
    expect(await field().getAttribute("placeholder")).toBe("Words, or plugin: host: label:");
    await field().fill("label:team=shop");
    await dialog().getByRole("button", { name: "All 43 that match" }).click();
    await dialog().getByText("43 are chosen. 43 routes are affected. 3 of them are not shown.").waitFor();
    await dialog().getByText("routes/other (before)").waitFor();
    await field().fill("services/front");
    await dialog().getByRole("button", { name: "All 1 that match" }).click();
    await dialog().getByText("44 are chosen. 45 routes are affected.").waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Attach to 44" }).click();
    await page.getByText("shared is attached to 44").waitFor();
    for (const path of ["routes/r0", "routes/r41", "routes/other", "services/front"])
      expect([path, await named(path)]).toEqual([path, "shared"]);
    expect([await named("routes/r42"), await named("routes/filed")]).toEqual([undefined, undefined]);
  });

  it("attaching skips resources that another user attached or deleted, and retains their other changes", async () => {
    for (const id of ["theirs", "touched", "gone"])
      await put(`routes/m-${id}`, { uri: `/m-${id}`, upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/plugin_configs/shared");
    const { page } = visit;
    await uses().getByRole("button", { name: "Attach…" }).click();
    await field().fill("id:m-");
    await dialog().getByRole("button", { name: "All 3 that match" }).click();
    await dialog().getByText("3 are chosen.").waitFor();
    await harness.gateway.call("PATCH", "/routes/m-theirs", { plugin_config_id: "before" });
    await harness.gateway.call("PATCH", "/routes/m-touched", { name: "theirs" });
    await harness.gateway.call("DELETE", "/routes/m-gone");
    await dialog().getByRole("button", { name: "Attach to 3" }).click();
    await page.getByText("shared is attached to 1").waitFor();
    await page.getByText("2 of 3 are as they were").waitFor();
    await page.getByText("routes/m-theirs: somebody has had it name before meanwhile").waitFor();
    expect([await named("routes/m-theirs"), await named("routes/m-touched")]).toEqual(["before", "shared"]);
    const { json } = await harness.gateway.call("GET", "/routes/m-touched");
    expect(json["value"]).toMatchObject({ name: "theirs" });
  });

  it("a plugin configuration can be chosen for all on a phone, with the dialog's buttons inside of it", async () => {
    visit = await harness.signedIn("/gw/ui/plugin_configs/before", { viewport: { width: 390, height: 844 } });
    await uses().getByRole("button", { name: "Attach…" }).click();
    const outer = await dialog().boundingBox();
    for (const name of ["Attach to 0", /^All \d+$/]) {
      const button = await dialog().getByRole("button", { name }).boundingBox();
      expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThan((outer?.x ?? 0) + (outer?.width ?? 0));
    }
    await dialog()
      .getByRole("button", { name: /^All \d+$/ })
      .click();
    await dialog()
      .getByText(/are chosen\./)
      .waitFor();
    expect(await axeViolationsIn(visit.page)).toEqual([]);
  });

  it("detaching changes the chosen resources, names those that it could not change, and can be undone", async () => {
    visit = await harness.signedIn("/gw/ui/plugin_configs/shared");
    const { page } = visit;
    await put("routes/only", { uri: "/only", plugin_config_id: "shared", upstream: UPSTREAM });
    await page.route("**/gw/admin/routes/only", (route) =>
      route.request().method() === "PATCH"
        ? route.fulfill({ status: 400, json: { error_msg: "kept for the test" } })
        : route.fallback(),
    );
    await visit.go("/gw/ui/routes");
    await page.getByRole("heading", { name: "Routes", level: 1 }).waitFor();
    await visit.go("/gw/ui/plugin_configs/shared");
    await uses().getByRole("button", { name: "Detach…" }).click();
    await field().fill("only");
    await dialog().getByRole("button", { name: "All 1 that match" }).click();
    await field().fill("id:r1");
    await dialog().getByRole("button", { name: "All 11 that match" }).click();
    await dialog().getByText("12 are chosen. 12 routes are affected.").waitFor();
    await dialog().getByRole("button", { name: "Detach from 12" }).click();
    await page.getByText("shared is detached from 11").waitFor();
    await page.getByText("1 of 12 are as they were").waitFor();
    await page.getByText("routes/only: kept for the test").waitFor();
    expect([await named("routes/r1"), await named("routes/r2"), await named("routes/only")]).toEqual([
      ...[undefined, "shared", "shared"],
    ]);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => named("routes/r19")).toBe("shared");
  });
});
