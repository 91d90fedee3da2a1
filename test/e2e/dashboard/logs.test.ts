import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { freePort } from "../../support/ports.js";
import { RecordReceiver } from "../../support/record-receiver.js";
import { ADMIN_KEY, UPSTREAM, VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("the log output page", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  const receiver = new RecordReceiver();
  /** Receiver that starts late. */
  const late = new RecordReceiver();
  beforeAll(async () => {
    await receiver.start();
    late.port = await freePort();
    harness = await DashboardHarness.open();
  });
  afterAll(async () => {
    await harness?.close();
    await receiver.kill();
    await late.kill();
  });
  afterEach(() => visit.close());

  const put = async (path: string, value: object) =>
    expect((await harness.gateway.call("PUT", path, value)).status).toBeLessThan(300);
  const syslog = (port: number, more: object) => ({
    syslog: { host: "127.0.0.1", port, log_format: { path: "$request_uri" }, record_id: true, ...more },
  });
  const row = (port: number) => visit.page.getByRole("row").filter({ hasText: `127.0.0.1:${port}` });

  it("the log output page without log outputs leads to a new global rule", async () => {
    visit = await harness.signedIn("/gw/ui/logs");
    await visit.page.getByText("No plugin sends log records anywhere.").waitFor();
    await visit.page.getByRole("link", { name: "Add global rule" }).click();
    await visit.page.getByRole("heading", { name: "Add global rule" }).waitFor();
  });

  it("a failing log output is visible on a phone, without a column of actions if there are none", async () => {
    const dead = await freePort();
    await put("/routes/dead", {
      uri: "/dead",
      upstream: UPSTREAM,
      plugins: syslog(dead, { batch_max_size: 1 }),
    });
    await harness.traffic("/dead");
    visit = await harness.signedIn("/gw/ui/logs", { viewport: { width: 390, height: 844 } });
    const fails = row(dead).getByText("fails", { exact: true });
    await fails.waitFor();
    const box = await fails.boundingBox();
    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThan(390);
    expect(await visit.page.getByRole("columnheader", { name: "Actions" }).count()).toBe(0);
    expect((await harness.gateway.call("DELETE", "/routes/dead")).status).toBe(200);
  });

  it("a log output has its source, delivery, counts, waiting entries and the reason of its failure", async () => {
    await put("/plugin_configs/shared", { plugins: syslog(receiver.port, { batch_max_size: 1 }) });
    for (const id of ["one", "two"])
      await put(`/routes/${id}`, { uri: `/${id}`, upstream: UPSTREAM, plugin_config_id: "shared" });
    const durable = syslog(late.port, { delivery: "durable" });
    await put("/routes/kept", { uri: "/kept", upstream: UPSTREAM, plugins: durable });
    for (const path of ["/one", "/two", "/kept", "/kept", "/kept"]) await harness.traffic(path);
    visit = await harness.signedIn("/gw/ui/logs");
    const shared = row(receiver.port);
    await shared.getByRole("link", { name: "plugin_configs/shared" }).waitFor();
    await shared.getByText("on 2 routes").waitFor();
    await shared.getByText("from memory").waitFor();
    await expect.poll(() => shared.getByRole("cell").nth(4).innerText()).toBe("2");
    const kept = row(late.port);
    await kept.getByRole("link", { name: "routes/kept" }).waitFor();
    await kept.getByText("3 entries").waitFor();
    await kept.getByText(/B on disk of|byte on disk of/).waitFor();
    await kept.getByText("fails", { exact: true }).waitFor();
    await kept.getByText(/ECONNREFUSED/).waitFor();
    expect(await axeViolationsIn(visit.page)).toEqual([]);
  });

  it("a viewer sees log outputs and cannot purge them, neither on the page nor through the admin API", async () => {
    visit = await harness.signedIn("/gw/ui/logs", {}, VIEWER_KEY);
    await row(late.port).getByText("3 entries").waitFor();
    const purge = row(late.port).getByRole("button", { name: "Purge what waits for" });
    expect(await purge.isDisabled()).toBe(true);
    const { json } = await harness.gateway.call("GET", "/logs", undefined, { key: VIEWER_KEY });
    const [{ id = "" } = {}] = (json["destinations"] as { id: string; delivery: string }[]).filter(
      ({ delivery }) => delivery === "durable",
    );
    const refused = await harness.gateway.call("POST", `/logs/${id}/purge`, {}, { key: VIEWER_KEY });
    expect(refused.status).toBe(401);
    expect((await harness.gateway.call("POST", "/logs/..%2F..%2F/purge", {})).status).toBe(404);
  });

  it("a purge asks with the number of entries, discards them, and later records are delivered", async () => {
    visit = await harness.signedIn("/gw/ui/logs", {}, ADMIN_KEY);
    const { page } = visit;
    await row(late.port).getByRole("button", { name: "Purge what waits for" }).click();
    const question = page.getByRole("dialog");
    await question.getByText("Give up 3 entries?").waitFor();
    await question.getByRole("button", { name: "Purge 3 entries" }).click();
    await page.getByText(`3 entries for 127.0.0.1:${late.port} are gone`).waitFor();
    await row(late.port).getByText("0 entries").waitFor();
    // A record in delivery may arrive after the purge: that attempt fails within 2 s and is the last one.
    await visit.page.waitForTimeout(5_000);
    await late.start();
    await harness.traffic("/kept?later");
    await expect.poll(() => late.byPath.has("/kept?later")).toBe(true);
    expect(late.byPath.has("/kept")).toBe(false);
    await row(late.port).getByText("failed before").waitFor();
  });

  it("the overview links to the log outputs when records are dropped", async () => {
    const nobody = await freePort();
    const plugins = syslog(nobody, { batch_max_size: 1, max_retry_count: 0 });
    await put("/routes/dropped", { uri: "/dropped", upstream: UPSTREAM, plugins });
    await harness.traffic("/dropped");
    visit = await harness.signedIn();
    const attention = visit.page.getByRole("region", { name: "Needs attention" });
    await attention.getByRole("link", { name: "Logs" }).click();
    await row(nobody)
      .getByText(/ECONNREFUSED/)
      .waitFor();
    await harness.gateway.call("DELETE", "/routes/dropped");
  });
});
