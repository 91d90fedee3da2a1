import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { filesBelow, ROOT, read } from "../../architecture/sources.js";
import { formatMarkdown } from "../../tools/format-markdown.js";
import { expressionsIn, faultsOf, namesIn } from "../../tools/observability/expressions.js";
import { FAMILIES, type Family } from "../../tools/observability/families.js";
import { DASHBOARDS, LIVE, observabilityFiles, README, readmeText } from "../../tools/observability/files.js";
import { ALERTS, HEALTHY_SERIES } from "../../tools/observability/rules.js";

const families: Readonly<Record<string, Family>> = FAMILIES;

interface Rule {
  alert: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** Field of the default log record, which is no metric. */
const NO_METRIC = new Set(["gw_latency"]);

describe("the table of metrics", () => {
  const sources = [...filesBelow("runtime", ".ts"), ...filesBelow("plugins", ".ts")]
    .filter((path) => !path.startsWith("runtime/dashboard/"))
    .map((path) => read(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ""));

  it("the table of metrics has every family that the sources name and no other", () => {
    const named = new Set(sources.flatMap((text) => text.match(/"(gw_[a-z_]+)"|\b(gw_[a-z_]+):/g) ?? []));
    const names = new Set(Array.from(named, (text) => text.replace(/[":]/g, "")));
    const counted = [...names].filter((name) => !NO_METRIC.has(name));
    expect(counted.sort()).toEqual(Object.keys(families).sort());
  });

  it("the table of metrics has the help texts of the gateway", () => {
    const all = sources.join("\n");
    const unknown = Object.values(families).filter(({ help }) => !all.includes(`"${help}"`));
    expect(unknown).toEqual([]);
  });
});

describe("docs/observability", () => {
  it.each([...observabilityFiles().keys()])(
    "%s equals the output of the generator (UPDATE=1 writes it)",
    (path) => {
      const fresh = observabilityFiles().get(path) ?? "";
      const file = join(ROOT, path);
      if (process.env["UPDATE"] === "1") writeFileSync(file, fresh);
      expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(fresh);
    },
  );

  it("the page docs/observability/README.md explains each alert once, as generated (UPDATE=1 writes it)", async () => {
    const fresh = await formatMarkdown(README, readmeText(read(README)));
    if (process.env["UPDATE"] === "1") writeFileSync(join(ROOT, README), fresh);
    expect(read(README)).toBe(fresh);
    for (const { name } of ALERTS) expect(fresh.split(`### ${name}\n`)).toHaveLength(2);
  });

  it("each alert has a severity, a summary, a description, an action and a runbook section that exists", () => {
    const { groups } = parse(read("docs/observability/alerts.yaml")) as { groups: { rules: Rule[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules).toHaveLength(ALERTS.length);
    for (const { alert, labels, annotations } of rules) {
      expect(["critical", "warning", "info"]).toContain(labels["severity"]);
      expect(Object.keys(annotations)).toEqual(["summary", "description", "action", "runbook_url"]);
      for (const text of Object.values(annotations)) expect(text).toMatch(/\S{3}/);
      const [page = "", place] = annotations["runbook_url"]?.split("#") ?? [];
      expect(place).toBe(alert.toLowerCase());
      expect(read(page)).toContain(`### ${alert}\n`);
    }
  });

  it("the list of alerts tested on a live gateway is the list of alerts in those tests", () => {
    const tests = ["alerts", "sick-alerts"]
      .map((name) => read(`test/e2e/metrics/${name}.test.ts`))
      .join("\n");
    const named = Array.from(tests.matchAll(/(?:fires\(|^ {4}\[)"(Gwc\w+)"/gm), ([, name = ""]) => name);
    expect([...new Set(named)].sort()).toEqual([...LIVE].sort());
  });

  it.each([...observabilityFiles().keys()])(
    "the expressions of %s contain only existing metrics and labels",
    (path) => {
      const expressions = expressionsIn(read(path));
      expect(expressions.length).toBeGreaterThan(5);
      expect(expressions.flatMap((text) => faultsOf(text))).toEqual([]);
    },
  );

  it("the metrics of all alerts exist on a healthy gateway", () => {
    const healthy = new Set(HEALTHY_SERIES.flatMap((name) => namesIn(name)));
    const missing = ALERTS.flatMap(({ expr }) => namesIn(expr)).filter((name) => !healthy.has(name));
    expect(missing).toEqual([]);
  });

  it("every metric of the gateway is in a file of docs/observability", () => {
    const shown = new Set(
      [...observabilityFiles().values()].flatMap(expressionsIn).flatMap((text) => namesIn(text)),
    );
    expect(Object.keys(families).filter((name) => !shown.has(name))).toEqual([]);
  });

  it("the panels of each dashboard have different ids, queries, and places that neither overlap nor exceed the width", () => {
    for (const { id } of DASHBOARDS) {
      const { panels } = JSON.parse(read(`docs/observability/dashboards/${id}.json`)) as {
        panels: {
          id: number;
          type: string;
          title: string;
          gridPos: Record<"x" | "y" | "w" | "h", number>;
          targets?: { expr: string }[];
        }[];
      };
      for (const { type, title, targets = [] } of panels) {
        if (type === "row") continue;
        expect(targets, title).not.toEqual([]);
        for (const { expr } of targets) expect(expr, title).toMatch(/\S/);
      }
      expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length);
      const taken = new Set<string>();
      for (const { gridPos } of panels)
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
            expect(taken.has(`${x} ${y}`) || x >= 24).toBe(false);
            taken.add(`${x} ${y}`);
          }
    }
  });
});

describe("the check of expressions", () => {
  it.each([
    ["gw_htp_status", "no such metric: gw_htp_status"],
    ['gw_http_status{rout="a"}', "gw_http_status has no label rout"],
    ["sum by (upstream) (rate(gw_http_status[5m]))", "no metric here has a label upstream"],
    ["rate(gw_ready[5m])", "gw_ready is a gauge, and has no rate"],
    ["gw_http_latency", "gw_http_latency is a histogram: _bucket, _sum or _count"],
    ["gw_ready_bucket", "no such metric: gw_ready_bucket"],
    ["label_values(gw_http_status, rout)", "no metric here has a label rout"],
  ])("the check of expressions reports the fault of %s", (expression, fault) => {
    expect(faultsOf(expression)).toEqual([fault]);
  });
});
