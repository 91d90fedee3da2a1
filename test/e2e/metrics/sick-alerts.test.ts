import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { PrometheusServer, WITHOUT_PROMETHEUS } from "../../support/prometheus-server.js";
import { rulesText } from "../../tools/observability/rules.js";
import { CAN_FAIL, SickGateway } from "./sick-gateway.js";

const title = (text: string) => (WITHOUT_PROMETHEUS ? `${text} (${WITHOUT_PROMETHEUS})` : text);

describe.skipIf(WITHOUT_PROMETHEUS !== undefined)(title("a gateway to which everything happens"), () => {
  let sick: SickGateway;
  let prometheus: PrometheusServer;
  beforeAll(async () => {
    sick = await SickGateway.start();
    prometheus = await PrometheusServer.start([`127.0.0.1:${sick.gateway.metricsPort}`], rulesText("1s"));
    await until(async () => (await prometheus.query("gw_ready == 1")) > 0);
  });
  afterAll(async () => {
    await sick.end();
    await prometheus.end();
  });

  /** Labels of the alerts that fire now. */
  const firing = async () => {
    const alerts = await prometheus.alerts();
    return alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels);
  };
  const isFiring = async (name: string, labels: Readonly<Record<string, string>> = {}) => {
    const sought = Object.entries({ alertname: name, ...labels });
    return (await firing()).some((found) => sought.every(([label, value]) => found[label] === value));
  };
  const fires = (name: string, labels?: Readonly<Record<string, string>>) =>
    until(() => isFiring(name, labels));

  it("a gateway with expiring certificates fires their two alerts only", async () => {
    await fires("GwcCertificateExpires", { ssl: "soon" });
    await fires("GwcCertificateExpiresNow", { ssl: "now" });
    const names = new Set((await firing()).map(({ alertname }) => alertname));
    expect([...names].sort()).toEqual(["GwcCertificateExpires", "GwcCertificateExpiresNow"]);
  });

  it.each<[string, Record<string, string>]>([
    ["GwcErrors", {}],
    ["GwcRouteErrors", { route: "broken" }],
    ["GwcSlow", {}],
    ["GwcUpstreamDown", { upstream: "dead" }],
    ["GwcRetriesDenied", { upstream: "dead" }],
    ["GwcLogDeliveryFails", {}],
    ["GwcSpoolFills", {}],
    ["GwcSpoolEntriesDropped", { reason: "drop_oldest" }],
    ["GwcSyslogMessagesCut", {}],
    ["GwcCaptchaUnavailable", { site_key: "sk_gone_away" }],
    ["GwcCaptchaUnverified", { site_key: "sk_gone_away" }],
    ["GwcHandshakesFail", {}],
  ])("the alert %s fires while its failure lasts", async (name, labels) => {
    await until(async () => {
      await sick.use();
      return isFiring(name, labels);
    });
  });

  it("a folded series fires GwcMetricsFolded", async () => {
    await sick.visitMany();
    await fires("GwcMetricsFolded", { metric: "gw_http_latency" });
  });

  it("a connection above the limit fires GwcConnectionsRefused", async () => {
    sick.crowd();
    await fires("GwcConnectionsRefused");
    sick.leave();
  });

  it("a worker that is stopped fires GwcWorkerStalled", async () => {
    const [worker] = await sick.gateway.workers();
    process.kill(worker?.pid ?? 0, "SIGSTOP");
    await fires("GwcWorkerStalled", { reason: "silent" });
  });

  it.runIf(CAN_FAIL)("a write that the store rejects fires GwcWritesFail", async () => {
    // The former worker has been replaced by now; otherwise the write would wait for it.
    await until(() => sick.gateway.ready());
    writeFileSync(sick.diskFlag, "");
    const { status } = await sick.gateway.admin("PUT", "/routes/lost", { uri: "/lost", upstream_id: "well" });
    expect(status).toBe(503);
    await fires("GwcWritesFail");
    rmSync(sick.diskFlag);
  });

  it("a start with the last known good generation fires GwcLastKnownGood", async () => {
    const file = join(sick.gateway.directory, "gateway.json");
    const whole = JSON.parse(readFileSync(file, "utf8")) as { routes: object[] };
    await sick.gateway.stop();
    writeFileSync(file, JSON.stringify({ ...whole, routes: [...whole.routes, { id: 1 }] }));
    await sick.gateway.open();
    await fires("GwcLastKnownGood");
  });
});
