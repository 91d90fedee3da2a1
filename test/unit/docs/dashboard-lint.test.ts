import { describe, expect, it } from "vitest";
import { read } from "../../architecture/sources.js";
import { DASHBOARDS, DIRECTORY } from "../../tools/observability/files.js";
import {
  type DashboardJson,
  lint,
  type PanelJson,
  type TargetJson,
  type VariableJson,
} from "../../tools/observability/lint.js";

const all = DASHBOARDS.map(
  ({ id }) => JSON.parse(read(`${DIRECTORY}/dashboards/${id}.json`)) as DashboardJson,
);
const [overview] = all as [DashboardJson];
const place = overview.panels.findIndex(({ title }) => title === "Answers by status");

const withPanel = (change: (panel: PanelJson) => Partial<PanelJson>): DashboardJson => ({
  ...overview,
  panels: overview.panels.map((panel, at) => (at === place ? { ...panel, ...change(panel) } : panel)),
});
const withTarget = (change: Partial<TargetJson>) =>
  withPanel(({ targets = [] }) => ({ targets: targets.map((one) => ({ ...one, ...change })) }));
const withVariable = (name: string, change: Partial<VariableJson>): DashboardJson => ({
  ...overview,
  templating: {
    list: overview.templating.list.map((one) => (one.name === name ? { ...one, ...change } : one)),
  },
});
const HERE = '{job=~"$job",instance=~"$instance"}';
const asking = (expr: string, legendFormat = "all") => withTarget({ expr, legendFormat });

describe("the linter of dashboards", () => {
  it("the linter accepts the dashboards of docs/observability", () => {
    expect(lint(all)).toEqual([]);
  });

  it("the linter reports two dashboards with one uid and title", () => {
    expect(lint([overview, overview])).toEqual([
      "uid gwc-overview is there twice",
      "title gwc: Overview is there twice",
    ]);
  });

  it.each<[string, DashboardJson]>([
    ["no description", withPanel(() => ({ description: "" }))],
    ["no title", withPanel(() => ({ title: "" }))],
    ["no unit", withPanel(() => ({ fieldConfig: { defaults: {} } }))],
    ["no query", withPanel(() => ({ targets: [] }))],
    ["not of the chosen Prometheus", withPanel(() => ({ datasource: { type: "prometheus", uid: "mine" } }))],
    [
      "a query is not of the chosen Prometheus",
      withTarget({ datasource: { type: "prometheus", uid: "mine" } }),
    ],
    ["query A is there twice", withPanel(({ targets = [] }) => ({ targets: [...targets, ...targets] }))],
    ["panel id 1 is there twice", withPanel(() => ({ id: 1 }))],
    ["no legend", withTarget({ legendFormat: "" })],
    ["its legend names route", withTarget({ legendFormat: "{{route}}" })],
    ["no such metric: gw_htp_status", asking(`sum(rate(gw_htp_status${HERE}[$__rate_interval]))`)],
    ["gw_http_status only grows: rate() of it", asking(`sum(gw_http_status${HERE})`)],
    ["gw_http_status is not rated over $__rate_interval", asking(`sum(rate(gw_http_status${HERE}[5m]))`)],
    ["gw_ready is a gauge, and has no rate", asking(`sum(rate(gw_ready${HERE}[$__rate_interval]))`)],
    ["a sum of gw_spool_oldest_seconds says nothing", asking(`sum by () (gw_spool_oldest_seconds${HERE})`)],
    ['gw_ready without job=~"$job"', asking('sum(gw_ready{instance=~"$instance"})')],
    ['gw_ready without instance=~"$instance"', asking('sum(gw_ready{job=~"$job"})')],
    ["$job is compared by =", asking(`sum(gw_ready${HERE}) + sum(up{job="$job"})`)],
    ["no variable route", asking(`sum(gw_ready${HERE}) + sum(up{route=~"$route"})`)],
    ["variable job: not several, or all by .*", withVariable("job", { allValue: "" })],
    ["variable job: not several, or all by .*", withVariable("job", { multi: false })],
    ["variable job: not asked for again when the time changes", withVariable("job", { refresh: 1 })],
    [
      "variable job: not of the chosen Prometheus",
      withVariable("job", { datasource: { type: "a", uid: "b" } }),
    ],
    ["variable job: not a query", withVariable("job", { query: "label_values(job)" })],
    ["no variable instance", withVariable("instance", { name: "host" })],
    ["the first variable is not the Prometheus, datasource", withVariable("datasource", { query: "loki" })],
  ])("the linter reports: %s", (fault, dashboard) => {
    const found = lint([dashboard]);
    expect(found.join("\n")).toContain(fault);
  });

  it("the linter reports an unused variable, and one by a histogram's own name, which is no series", () => {
    const query = `label_values(gw_http_latency${HERE}, upstream)`;
    const more = { name: "upstream", definition: query, query: { query } };
    const [, job] = overview.templating.list;
    const list = [...overview.templating.list, { ...job, ...more } as VariableJson];
    expect(lint([{ ...overview, templating: { list } }])).toEqual([
      "gwc-overview: variable upstream is not used",
      "gwc-overview: variable upstream: gw_http_latency is a histogram: _bucket, _sum or _count",
    ]);
  });
});
