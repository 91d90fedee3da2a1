import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ENGINE, WITHOUT_ENGINE } from "../../support/engine.js";
import { type HttpUpstream, httpUpstream } from "../../support/http-upstream.js";
import { DashboardHarness, type Visit } from "./harness.js";

const inDialog = (visit: Visit) => (name: string) =>
  visit.page.getByRole("dialog").getByRole("textbox", { name, exact: true });

/**
 * "Open Routes, choose Add, open the Plugins section, choose Add, select the plugin, enter its
 * configuration, save."
 */
describe.skipIf(WITHOUT_ENGINE)(
  `the dashboard in ${ENGINE.name}, as the specifications describe its use`,
  () => {
    let harness: DashboardHarness;
    let upstream: HttpUpstream;
    let visit: Visit;
    beforeAll(async () => {
      upstream = await httpUpstream((_, response) => response.setHeader("X-From", "upstream").end("hello"));
      harness = await DashboardHarness.open("", {}, ENGINE.launch);
    });
    afterAll(async () => {
      await harness?.close();
      upstream.close();
    });
    afterEach(async () => {
      await visit.close();
    });

    async function addRoute(id: string, uri: string): Promise<void> {
      const { page } = visit;
      await page.getByRole("navigation").getByRole("link", { name: "Routes" }).click();
      await page.getByRole("link", { name: "Add route" }).first().click();
      await visit.write(page.getByLabel("Id", { exact: true }), id);
      await visit.write(page.getByRole("textbox", { name: "uri", exact: true }), uri);
      await page.getByRole("radio", { name: "Own nodes" }).click();
      await page.getByRole("button", { name: "Add to nodes" }).click();
      await visit.write(page.getByLabel("nodes, name 1"), Object.keys(upstream.nodes)[0] ?? "");
    }

    async function addPlugin(name: string): Promise<void> {
      const { page } = visit;
      await page.getByRole("button", { name: "Add plugin" }).click();
      await visit.write(page.getByLabel("Search plugins"), name);
      await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    }

    const use = () => visit.page.getByRole("button", { name: "Use these settings" }).click();

    it("a route with response-rewrite as a JSON object can be added and is live", async () => {
      visit = await harness.signedIn();
      await addRoute("rewritten", "/rewritten");
      await addPlugin("response-rewrite");
      await visit.page.getByRole("tab", { name: "JSON object" }).click();
      const settings = { status_code: 202, body: "rewritten", headers: { set: { "X-Added": "by hand" } } };
      await visit.write(
        visit.page.getByRole("textbox", { name: "JSON object", exact: true }),
        JSON.stringify(settings),
      );
      await use();
      await visit.save();
      const { status, text, headers } = await harness.traffic("/rewritten");
      expect([status, text, headers.get("x-added")]).toEqual([202, "rewritten", "by hand"]);
      const { json } = await harness.gateway.call("GET", "/routes/rewritten");
      expect(json["value"]).toMatchObject({ uri: "/rewritten", plugins: { "response-rewrite": settings } });
    });

    it("the form of syslog can be filled: host, port, flush_limit", async () => {
      visit = await harness.signedIn();
      await addRoute("logged", "/logged");
      await addPlugin("syslog");
      const field = inDialog(visit);
      await visit.write(field("host"), "127.0.0.1");
      await visit.write(field("port"), "5140");
      await visit.write(field("flush_limit"), "1");
      await use();
      await visit.save();
      expect((await harness.traffic("/logged")).text).toBe("hello");
      const { json } = await harness.gateway.call("GET", "/routes/logged");
      const plugins = { syslog: { host: "127.0.0.1", port: 5140, flush_limit: 1 } };
      expect(json["value"]).toMatchObject({ plugins });
    });

    it("the form of broker-logger can be filled: brokers, broker_topic, key, batch_max_size, name", async () => {
      visit = await harness.signedIn();
      await addRoute("shipped", "/shipped");
      await addPlugin("broker-logger");
      const field = inDialog(visit);
      await visit.page.getByRole("button", { name: "Add to brokers" }).click();
      await visit.write(field("host"), "127.0.0.1");
      await visit.write(field("port"), "19092");
      await visit.write(field("broker_topic"), "requests");
      await visit.write(field("key"), "orders");
      await visit.write(field("batch_max_size"), "100");
      await visit.write(field("name"), "to kafka");
      await use();
      await visit.save();
      expect((await harness.traffic("/shipped")).text).toBe("hello");
      const { json } = await harness.gateway.call("GET", "/routes/shipped");
      const settings = {
        brokers: [{ host: "127.0.0.1", port: 19092 }],
        broker_topic: "requests",
        key: "orders",
        batch_max_size: 100,
        name: "to kafka",
      };
      expect((json["value"] as { plugins: object }).plugins).toEqual({ "broker-logger": settings });
    });

    it("a plugin configuration can be attached to two routes and a service", async () => {
      visit = await harness.signedIn();
      const { page } = visit;
      const open = (name: string) => page.getByRole("navigation").getByRole("link", { name }).click();
      await open("Plugin configurations");
      await page.getByRole("link", { name: "Add plugin configuration" }).first().click();
      await visit.write(page.getByLabel(/^Id/), "shared");
      await addPlugin("response-rewrite");
      await page.getByRole("tab", { name: "JSON object" }).click();
      const settings = { headers: { set: { "X-Shared": "yes" } } };
      await visit.write(
        page.getByRole("textbox", { name: "JSON object", exact: true }),
        JSON.stringify(settings),
      );
      await use();
      await visit.save();
      for (const id of ["one", "two"]) {
        await addRoute(id, `/${id}`);
        await visit.save();
      }
      await open("Services");
      await page.getByRole("link", { name: "Add service" }).first().click();
      await visit.write(page.getByLabel("Id", { exact: true }), "common");
      await visit.save();
      await addRoute("three", "/three");
      await visit.write(page.getByRole("combobox", { name: "service_id" }), "common");
      await visit.save();
      await open("Plugin configurations");
      await page.getByRole("link", { name: "shared" }).click();
      const uses = page.getByRole("region", { name: "Used by" });
      await uses.getByText("Nothing names it yet.").waitFor();
      await uses.getByRole("button", { name: "Attach…" }).click();
      for (const one of ["routes/one", "routes/two", "services/common"]) {
        await visit.write(page.getByRole("combobox", { name: "Routes and services" }), one);
        await page.getByRole("option", { name: one }).click();
      }
      await page.getByRole("button", { name: "Attach to 3" }).click();
      await page.getByText("shared is attached to 3").waitFor();
      await uses.getByRole("link", { name: "services/common" }).waitFor();
      for (const path of ["/one", "/two", "/three"]) {
        const { headers } = await harness.traffic(path);
        expect([headers.get("x-shared"), headers.get("x-from")]).toEqual(["yes", "upstream"]);
      }
    });
  },
);
