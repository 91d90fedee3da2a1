import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { read } from "../../architecture/sources.js";
import { promtool, WITHOUT_PROMETHEUS } from "../../support/prometheus-server.js";
import { expressionsIn } from "../../tools/observability/expressions.js";
import { DASHBOARDS, DIRECTORY } from "../../tools/observability/files.js";
import { ALERTS, growthTestText, rulesTestText } from "../../tools/observability/rules.js";

const title = (text: string) => (WITHOUT_PROMETHEUS ? `${text} (${WITHOUT_PROMETHEUS})` : text);

describe.skipIf(WITHOUT_PROMETHEUS !== undefined)(title("docs/observability before promtool"), () => {
  const directory = mkdtempSync(join(tmpdir(), "gwc-rules-"));
  const put = (name: string, text: string) => writeFileSync(join(directory, name), text);
  put("alerts.yaml", read(`${DIRECTORY}/alerts.yaml`));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("promtool accepts the alert rules of docs/observability", async () => {
    const { code, text } = await promtool(directory, "check", "rules", "--lint-fatal", "alerts.yaml");
    expect(code, text).toBe(0);
    expect(text).toContain(`${ALERTS.length} rules found`);
  });

  it("promtool accepts the queries of the dashboards", async () => {
    const queries = DASHBOARDS.flatMap(({ id }) => expressionsIn(read(`${DIRECTORY}/dashboards/${id}.json`)))
      .filter((text) => !text.startsWith("label_values("))
      .map((text) => text.replaceAll("$__rate_interval", "1m"));
    const rules = queries.map((expr, i) => ({ record: `dashboard:query:${i}`, expr }));
    put("dashboards.yaml", JSON.stringify({ groups: [{ name: "dashboards", rules }] }));
    const { code, text } = await promtool(directory, "check", "rules", "dashboards.yaml");
    expect(code, text).toBe(0);
    expect(text).toContain(`${queries.length} rules found`);
  });

  it("each alert fires in its failure scenario, and none at a healthy gateway", async () => {
    put("alerts.test.yaml", rulesTestText("alerts.yaml"));
    const { code, text } = await promtool(directory, "test", "rules", "alerts.test.yaml");
    expect(code, text).toBe(0);
  });

  it("the test of an alert fails if its rule can never fire", async () => {
    const [rules, never] = [read(`${DIRECTORY}/alerts.yaml`), "gw_ready == 2"];
    put("never.yaml", rules.replace("gw_ready == 0", never));
    const [sick, other] = [ALERTS.find(({ name }) => name === "GwcNotReady"), ALERTS.at(-1)];
    // Two alerts only: promtool takes ten seconds for all.
    put(
      "never.test.yaml",
      rulesTestText(
        "never.yaml",
        [sick, other].flatMap((alert) => alert ?? []),
      ),
    );
    const { code, text } = await promtool(directory, "test", "rules", "never.test.yaml");
    expect(code).toBe(1);
    expect(text).toContain("GwcNotReady fires");
    expect(text.match(/ fires,/g)).toHaveLength(1);
  });

  it("an alert on a counter detects its first increase and ignores a first scrape and a restart", async () => {
    put("growth.test.yaml", growthTestText("alerts.yaml"));
    const { code, text } = await promtool(directory, "test", "rules", "growth.test.yaml");
    expect(code, text).toBe(0);
  });
});
