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

  /** Alerts that fire now, with what tells them apart. */
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

  it("says of its certificates that they expire, and nothing else", async () => {
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
  ])("has %s told while it happens", async (name, labels) => {
    await until(async () => {
      await sick.use();
      return isFiring(name, labels);
    });
  });

  it("has series told that are folded", async () => {
    await sick.visitMany();
    await fires("GwcMetricsFolded", { metric: "gw_http_latency" });
  });

  it("has clients told that it turned away", async () => {
    sick.crowd();
    await fires("GwcConnectionsRefused");
    sick.leave();
  });

  it("has a worker told that was silent", async () => {
    const [worker] = await sick.gateway.workers();
    process.kill(worker?.pid ?? 0, "SIGSTOP");
    await fires("GwcWorkerStalled", { reason: "silent" });
  });

  it.runIf(CAN_FAIL)("has a write told that its store did not take", async () => {
    // The worker before is replaced by now, or the write would wait for it.
    await until(() => sick.gateway.ready());
    writeFileSync(sick.diskFlag, "");
    const { status } = await sick.gateway.admin("PUT", "/routes/lost", { uri: "/lost", upstream_id: "well" });
    expect(status).toBe(503);
    await fires("GwcWritesFail");
    rmSync(sick.diskFlag);
  });

  it("has it told that it runs what was good last", async () => {
    const file = join(sick.gateway.directory, "gateway.json");
    const whole = JSON.parse(readFileSync(file, "utf8")) as { routes: object[] };
    await sick.gateway.stop();
    writeFileSync(file, JSON.stringify({ ...whole, routes: [...whole.routes, { id: 1 }] }));
    await sick.gateway.open();
    await fires("GwcLastKnownGood");
  });
});
