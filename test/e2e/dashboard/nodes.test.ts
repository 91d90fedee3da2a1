import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { freePort } from "../../support/ports.js";
import { VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("nodes of upstreams", () => {
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
    // Out for longer than the test takes.
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

  it("are shown with weight and state, and what becomes of them while one looks", async () => {
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

  it("that are left out stand in the list, and on a route with an upstream of its own all do", async () => {
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

  it("stand in the list of services too: those of a service, of the upstream that it names, and none", async () => {
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

  it("that refuse every connection stand so in the list and in the overview too, with the reason", async () => {
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
    const said = `Node ${nobody} of gone fails, and is still used: connection refused (ECONNREFUSED)`;
    await attention.getByText(said).waitFor();
    await attention.getByRole("link", { name: "upstreams/gone" }).click();
    await row(nobody).getByText("fails, still used").waitFor();
  });

  it("are those of now right after a save", async () => {
    visit = await harness.signedIn("/gw/ui/routes/own?tab=json");
    const { page } = visit;
    await row(alive).waitFor();
    const other = `127.0.0.1:${await freePort()}`;
    // A page that nobody sees asks for nothing from time to time: what comes now comes of the save.
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

  it("that nobody can reach are not called healthy, though the last one is never left out", async () => {
    const nobody = `127.0.0.1:${await freePort()}`;
    const upstream = { nodes: { [nobody]: 1 } };
    await harness.gateway.call("PUT", "/routes/lost", { uri: "/lost", upstream });
    for (let i = 0; i < 4; i++) expect((await harness.traffic("/lost")).status).toBe(502);
    visit = await harness.signedIn("/gw/ui/routes/lost");
    await row(nobody).getByText("fails, still used").waitFor();
    expect(await axeViolationsIn(visit.page)).toEqual([]);
  });

  it("are asked for as the page asks, and nothing else is taken for a question", async () => {
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
