/** Units of Grafana that the panels use. */
export type Unit = "short" | "reqps" | "ms" | "s" | "bytes" | "Bps" | "percentunit" | "ops";

/** One line of a panel; `legend` may name labels: `{{route}}`. */
export interface Query {
  expr: string;
  legend: string;
}

export interface Panel {
  title: string;
  /** What one sees, for who has not built it. */
  description: string;
  unit: Unit;
  /** Default: lines over time. */
  as?: "stat" | "stacked" | "table";
  /** Of 24 columns; default 8. */
  width?: number;
  queries: readonly Query[];
  /** Colours of a number, from a value on; below the first it is green. */
  steps?: readonly { value: number; color: "yellow" | "orange" | "red" | "green" }[];
  /** The scale does not begin at 0. */
  isSigned?: true;
}

/** A choice above the dashboard: the values of a label. */
export interface Variable {
  name: string;
  label: string;
  /** `label_values(…)`. */
  query: string;
}

export interface Dashboard {
  /** File name, and part of its address in Grafana. */
  id: string;
  title: string;
  variables?: readonly Variable[];
  /** Panels by the heading above them. */
  rows: Readonly<Record<string, readonly Panel[]>>;
}

/** Columns and rows of Grafana's grid. */
const COLUMNS = 24;
const HEIGHT = 8;
const STAT_HEIGHT = 4;
const SOURCE = { type: "prometheus", uid: "$" + "{datasource}" };
/** Grafana 11; later ones raise it themselves when they load the file. */
const SCHEMA_VERSION = 39;

const typeOf = ({ as }: Panel) => (as === "stat" || as === "table" ? as : "timeseries");

const OPTIONS = {
  stat: { reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false } },
  table: {},
  timeseries: {
    legend: { displayMode: "list", placement: "bottom" },
    tooltip: { mode: "multi", sort: "desc" },
  },
};

function panelJson(panel: Panel, id: number, at: { x: number; y: number }): object {
  const { title, description, unit, queries, as, width = 8, steps = [], isSigned } = panel;
  const stacked = as === "stacked";
  const custom = {
    fillOpacity: stacked ? 40 : 8,
    showPoints: "never",
    stacking: { mode: stacked ? "normal" : "none" },
  };
  const instant = as === "table" || as === "stat";
  return {
    ...{ id, type: typeOf(panel), title, description, datasource: SOURCE },
    gridPos: { h: as === "stat" ? STAT_HEIGHT : HEIGHT, w: width, ...at },
    fieldConfig: {
      defaults: {
        ...{ unit, ...(isSigned ? {} : { min: 0 }), ...(instant ? {} : { custom }) },
        // Without them Grafana has every number from 80 on red.
        thresholds: { mode: "absolute", steps: [{ color: "green", value: null }, ...steps] },
      },
      overrides: [],
    },
    options: OPTIONS[typeOf(panel)],
    targets: queries.map(({ expr, legend }, i) => ({
      ...{ refId: String.fromCharCode(65 + i), datasource: SOURCE, expr, legendFormat: legend },
      ...(instant && { instant: true, range: false }),
      ...(as === "table" && { format: "table" }),
    })),
  };
}

/** Panels from left to right, in as many lines as they need, below the heading of their row. */
function panelsJson(rows: Dashboard["rows"]): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const [title, row] of Object.entries(rows)) {
    const gridPos = { h: 1, w: COLUMNS, x: 0, y: y++ };
    panels.push({ id: panels.length + 1, type: "row", title, collapsed: false, gridPos, panels: [] });
    let x = 0;
    let height = 0;
    for (const panel of row) {
      const { width = 8 } = panel;
      if (x + width > COLUMNS) {
        x = 0;
        y += height;
        height = 0;
      }
      panels.push(panelJson(panel, panels.length + 1, { x, y }));
      x += width;
      height = Math.max(height, panel.as === "stat" ? STAT_HEIGHT : HEIGHT);
    }
    y += height;
  }
  return panels;
}

function variableJson({ name, label, query }: Variable): object {
  return {
    ...{ name, label, type: "query", datasource: SOURCE, query: { query, refId: name }, definition: query },
    ...{ refresh: 2, sort: 1, multi: true, includeAll: true, allValue: ".*" },
    current: { text: "All", value: "$__all" },
  };
}

/** The dashboard as Grafana imports it. */
export function dashboardJson({ id, title, variables = [], rows }: Dashboard): object {
  const datasource = { name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" };
  return {
    uid: `gwc-${id}`,
    title: `gwc: ${title}`,
    ...{ tags: ["gwc"], schemaVersion: SCHEMA_VERSION, version: 1, editable: true, graphTooltip: 1 },
    ...{ refresh: "30s", time: { from: "now-3h", to: "now" }, timezone: "" },
    links: [
      {
        type: "dashboards",
        title: "gwc",
        tags: ["gwc"],
        asDropdown: true,
        keepTime: true,
        includeVars: true,
      },
    ],
    annotations: { list: [] },
    templating: { list: [datasource, ...variables.map(variableJson)] },
    panels: panelsJson(rows),
  };
}
