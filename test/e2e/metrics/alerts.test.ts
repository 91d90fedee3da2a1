import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { read } from "../../architecture/sources.js";
import { until } from "../../support/patience.js";
import { PrometheusServer, WITHOUT_PROMETHEUS } from "../../support/prometheus-server.js";
import { expressionsIn, namesIn } from "../../tools/observability/expressions.js";
import { DASHBOARDS, DIRECTORY } from "../../tools/observability/files.js";
import { rulesText } from "../../tools/observability/rules.js";
import { NOT_HERE, WholeGateway } from "./whole-gateway.js";

const title = (text: string) => (WITHOUT_PROMETHEUS ? `${text} (${WITHOUT_PROMETHEUS})` : text);

describe.skipIf(WITHOUT_PROMETHEUS !== undefined)(title("a gateway that Prometheus watches"), () => {
  let whole: WholeGateway;
  let prometheus: PrometheusServer;
  beforeAll(async () => {
    whole = await WholeGateway.start();
    // Each rule is unchanged, except that it fires after one second.
    prometheus = await PrometheusServer.start([`127.0.0.1:${whole.gateway.metricsPort}`], rulesText("1s"));
  });
  afterAll(async () => {
    await whole.end();
    await prometheus.end();
  });

  const firing = async (name: string, labels: Readonly<Record<string, string>> = {}) => {
    const sought = Object.entries({ alertname: name, ...labels });
    const alerts = await prometheus.alerts();
    return alerts.find(
      (alert) => alert.state === "firing" && sought.every(([label, value]) => alert.labels[label] === value),
    )?.labels;
  };
  const fires = (name: string, labels?: Readonly<Record<string, string>>) =>
    until(() => firing(name, labels));

  it("a healthy gateway is up and ready, and none of five alerts fires", async () => {
    const seen = (expression: string) => prometheus.query(expression).then((count) => count > 0 || undefined);
    await until(() => seen('up{job="gwc"} == 1'));
    await until(() => seen("gw_ready == 1 and gw_workers == gw_workers_expected"));
    for (const name of ["GwcDown", "GwcNodeOut", "GwcReloadFailed", "GwcCaptchaDown", "GwcLogEntriesDropped"])
      expect(await firing(name)).toBeUndefined();
  });

  it("a dead node and lost log records fire their alerts", async () => {
    await whole.use();
    expect(await fires("GwcNodeOut", { upstream: "partly" })).toMatchObject({
      node: `127.0.0.1:${whole.ports.dead}`,
      severity: "warning",
    });
    expect(await fires("GwcLogEntriesDropped")).toMatchObject({ name: "to nobody", severity: "critical" });
  });

  it("every query of the dashboards returns data unless its cause does not occur here", async () => {
    const texts = DASHBOARDS.map(({ id }) => read(`${DIRECTORY}/dashboards/${id}.json`));
    const queries = texts.flatMap(expressionsIn).filter((text) => !text.startsWith("label_values("));
    const silent = async () => {
      // Traffic continues, because a rate without traffic has no value.
      for (const path of ["/shop", "/dead"]) await whole.gateway.get(path);
      const found: string[] = [];
      for (const query of queries) {
        const asked = query.replaceAll("$__rate_interval", "1m").replaceAll(/\$[a-z_]+/g, ".*");
        const isHere = !namesIn(query).some((name) => NOT_HERE.includes(name));
        if ((await prometheus.query(asked)) === 0 && isHere) found.push(query);
      }
      return found;
    };
    await expect.poll(silent).toEqual([]);
  });

  it("every variable of the dashboards has values", async () => {
    const choices = DASHBOARDS.flatMap(({ variables = [] }) => variables.map(({ query }) => query));
    const empty = async () => {
      const counts = choices.map(async (choice) => {
        const [, selected = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(choice) ?? [];
        const asked = selected.replaceAll(/\$[a-z_]+/g, ".*").replace(/}$/, ",");
        const from = asked.endsWith(",") ? asked : `${asked}{`;
        return (await prometheus.query(`${from}${label}!=""}`)) === 0 ? choice : [];
      });
      return (await Promise.all(counts)).flat();
    };
    await expect.poll(empty).toEqual([]);
  });

  it("a refused reload fires its alert until the next successful reload", async () => {
    const file = join(whole.gateway.directory, "gateway.json");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, '{"routes": [{"id": 1}]}');
    whole.gateway.process.kill("SIGHUP");
    expect(await fires("GwcReloadFailed")).toMatchObject({ severity: "warning" });
    writeFileSync(file, before);
    whole.gateway.process.kill("SIGHUP");
    await until(async () => (await firing("GwcReloadFailed")) === undefined);
  });

  it("a stopped gateway fires GwcDown", async () => {
    await whole.gateway.stop();
    expect(await fires("GwcDown")).toMatchObject({ job: "gwc", severity: "critical" });
  });
});
