import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { freePort } from "../../support/ports.js";
import { VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("upstream nodes on the dashboard", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  let server: Server;
  let [alive, dead] = ["", ""];
  beforeAll(async () => {
    server = createServer((_, response) => response.end("here")).listen(0, "127.0.0.1");
    await once(server, "listening");
    alive = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    dead = `127.0.0.1:${await freePort()}`;
    harness = await DashboardHarness.open();
    const put = async (path: string, value: object) =>
      expect((await harness.gateway.call("PUT", path, value)).status).toBe(201);
    // Ejected for longer than the test lasts.
    const checks = { passive: { ejection_time: 300 } };
    await put("/upstreams/pair", { nodes: { [alive]: 2, [dead]: 1 }, checks });
    await put("/upstreams/calm", { nodes: { [alive]: 1 } });
    await put("/routes/shop", { uri: "/shop", upstream_id: "pair" });
    await put("/services/own", { upstream: { nodes: { [alive]: 1, [dead]: 1 }, checks } });
    await put("/services/named", { upstream_id: "pair" });
    await put("/services/bare", {});
    await put("/routes/of-service", { uri: "/of-service", service_id: "own" });
    await put("/routes/own", { uri: "/own", upstream: { nodes: { [alive]: 1 } } });
  });
  afterAll(async () => {
    await harness?.close();
    server.close();
  });
  afterEach(() => visit.close());

  const section = () => visit.page.getByRole("region", { name: "Nodes now" });
  const row = (node: string) => section().getByRole("row").filter({ hasText: node });

  it("an upstream page shows weight and state of its nodes, and an ejection as it happens", async () => {
    visit = await harness.signedIn("/gw/ui/upstreams/pair", {}, VIEWER_KEY);
    await row(dead).getByText("no requests yet").waitFor();
    expect(await row(alive).getByRole("cell").nth(1).innerText()).toBe("2");
    await expect
      .poll(async () => {
        for (let i = 0; i < 6; i++) expect((await harness.traffic("/shop")).text).toBe("here");
        return row(dead).getByText("left out", { exact: true }).count();
      })
      .toBe(1);
    await row(dead)
      .getByText(/^connect [1-9]\d*, timeout 0, status 0; put out: 1$/)
      .waitFor();
    await row(dead)
      .getByText(/^connection refused \(ECONNREFUSED\), (?:\d+ seconds?|\d+ minutes?) ago$/)
      .waitFor();
    await row(alive).getByText(/\d ms/).waitFor();
    await row(alive).getByText("healthy").waitFor();
    expect(await axeViolationsIn(visit.page)).toEqual([]);
  });

  it("the upstream list shows ejected nodes, and a route page those of the route's own upstream", async () => {
    visit = await harness.signedIn("/gw/ui/upstreams");
    const { page } = visit;
    const line = (id: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name: id }) });
    await line("pair").getByText("left out").waitFor();
    await line("pair").getByText("1 of 2 nodes").waitFor();
    await line("calm").getByText("no requests yet").waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.goto(`${harness.origin}/gw/ui/routes/own`);
    await visit.signIn(VIEWER_KEY);
    await row(alive).getByText("no requests yet").waitFor();
  });

  it("the service list shows ejected nodes of a service's own or named upstream, or none", async () => {
    visit = await harness.signedIn("/gw/ui/services", {}, VIEWER_KEY);
    const { page } = visit;
    const line = (id: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name: id }) });
    await line("own").getByText("no requests yet").waitFor();
    await line("named").getByText("left out").waitFor();
    await line("named").getByText("1 of 2 nodes").waitFor();
    await line("bare").getByText("–").waitFor();
    await expect
      .poll(async () => {
        for (let i = 0; i < 6; i++) expect((await harness.traffic("/of-service")).text).toBe("here");
        return line("own").getByText("left out").count();
      })
      .toBe(1);
    await line("own").getByText("1 of 2 nodes").waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
  });

  it("a node that refuses every connection is shown as failing in the list and the overview, with the reason", async () => {
    const nobody = `127.0.0.1:${await freePort()}`;
    await harness.gateway.call("PUT", "/upstreams/gone", { nodes: { [nobody]: 1 } });
    await harness.gateway.call("PUT", "/routes/gone", { uri: "/gone", upstream_id: "gone" });
    expect((await harness.traffic("/gone")).status).toBe(502);
    visit = await harness.signedIn("/gw/ui/upstreams");
    const { page } = visit;
    const line = page.getByRole("row").filter({ has: page.getByRole("link", { name: "gone" }) });
    await line.getByText("fails, still used").waitFor();
    await visit.go("/gw/ui/");
    const attention = page.getByRole("region", { name: "Needs attention" });
    const said = `Node ${nobody} of gone fails, but is still in use: connection refused (ECONNREFUSED)`;
    await attention.getByText(said).waitFor();
    await attention.getByRole("link", { name: "upstreams/gone" }).click();
    await row(nobody).getByText("fails, still used").waitFor();
  });

  it("a route page shows the new nodes right after a save", async () => {
    visit = await harness.signedIn("/gw/ui/routes/own?tab=json");
    const { page } = visit;
    await row(alive).waitFor();
    const other = `127.0.0.1:${await freePort()}`;
    // A hidden page polls nothing, so the new nodes can only come from the save.
    await page.evaluate(`{
      Object.defineProperty(document, "visibilityState", { value: "hidden" });
      dispatchEvent(new Event("visibilitychange"));
      document.dispatchEvent(new Event("visibilitychange"));
    }`);
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(`{ "uri": "/own", "upstream": { "nodes": { "${other}": 1 } } }`);
    await visit.save();
    await row(other).waitFor();
    await row(alive).waitFor({ state: "detached" });
  });

  it("a single node that cannot be reached is shown as failing and still used", async () => {
    const nobody = `127.0.0.1:${await freePort()}`;
    const upstream = { nodes: { [nobody]: 1 } };
    await harness.gateway.call("PUT", "/routes/lost", { uri: "/lost", upstream });
    for (let i = 0; i < 4; i++) expect((await harness.traffic("/lost")).status).toBe(502);
    visit = await harness.signedIn("/gw/ui/routes/lost");
    await row(nobody).getByText("fails, still used").waitFor();
    expect(await axeViolationsIn(visit.page)).toEqual([]);
  });

  it("the nodes API returns ejected nodes and used upstreams, and rejects other queries", async () => {
    visit = await harness.visit();
    const ask = (query: string) => harness.gateway.call("GET", `/nodes?${query}`);
    const { json } = await ask("out=true");
    const failed = { error: "ECONNREFUSED", at: expect.any(String) };
    expect(json["upstreams"]).toContainEqual(
      expect.objectContaining({
        ...{ kind: "upstreams", id: "pair" },
        nodes: [expect.objectContaining({ weight: 1, last_failure: failed })],
      }),
    );
    expect(json["used"]).toContain("pair");
    expect(json["used"]).not.toContain("calm");
    expect((await ask("kind=routes&id=shop")).status).toBe(404);
    expect((await ask("kind=consumers&id=shop")).status).toBe(400);
    expect((await ask("out=1")).status).toBe(400);
  });
});
