import type { Panel, Query, Unit, Variable } from "./dashboard.js";
import type { LabelOf, Name, NameOf } from "./families.js";
import { type Matchers, maxBy, part, quantile, rate, series, sumBy } from "./query.js";

/** Grafana's: as long as the resolution of the picture needs. */
export const WINDOW = "$__rate_interval";

/** Of the gateways that are chosen above the dashboard. */
export const HERE = { job: "=~$job", instance: "=~$instance" } as const;

const valuesOf = (label: string, title: string, selected: string): Variable => ({
  ...{ name: label, label: title },
  query: `label_values(${selected}, ${label})`,
});

/** The choice of gateways: each dashboard begins with it. */
export const GATEWAYS: readonly Variable[] = [
  valuesOf("job", "Job", series("gw_build_info")),
  valuesOf("instance", "Gateway", series("gw_build_info", { job: HERE.job })),
];

/** Values of a label of the gateways that are chosen. */
export const choice = <N extends NameOf<"counter">>(label: LabelOf<N>, title: string, name: N): Variable =>
  valuesOf(label, title, series(name, HERE as Matchers<N>));

/** As `choice`, of a label of a histogram: its own name is no series. */
export const choiceOf = <N extends NameOf<"histogram">>(
  label: LabelOf<N>,
  title: string,
  name: N,
): Variable => valuesOf(label, title, part(name, "count", HERE as Matchers<N>));

const legendOf = (by: readonly string[], otherwise: string) =>
  by.length === 0 ? otherwise : by.map((label) => `{{${label}}}`).join(" ");

interface Shown<N extends Name> {
  by?: readonly string[];
  matchers?: Matchers<N>;
  legend?: string;
}

/** A counter as so much a second. */
export function perSecond<N extends NameOf<"counter">>(name: N, shown: Shown<N> = {}): Query {
  const { by = [], matchers = {}, legend = legendOf(by, "all") } = shown;
  const selected = series(name, { ...matchers, ...HERE } as Matchers<N>);
  return { expr: sumBy(by, rate(selected, WINDOW)), legend };
}

/** A level, summed. */
export function level<N extends NameOf<"gauge">>(name: N, shown: Shown<N> = {}): Query {
  const { by = [], matchers = {}, legend = legendOf(by, "all") } = shown;
  return { expr: sumBy(by, series(name, { ...matchers, ...HERE } as Matchers<N>)), legend };
}

/** A level that says nothing when it is summed: an age, a moment, a number of a state. The highest counts. */
export function highest<N extends NameOf<"gauge">>(name: N, shown: Shown<N> = {}): Query {
  const { by = [], matchers = {}, legend = legendOf(by, "all") } = shown;
  return { expr: maxBy(by, series(name, { ...matchers, ...HERE } as Matchers<N>)), legend };
}

/** Seconds since a moment, the last one where there are several. */
export function since<N extends NameOf<"gauge">>(name: N, shown: Shown<N> = {}): Query {
  const { expr, legend } = highest(name, shown);
  return { expr: `time() - ${expr}`, legend };
}

/** Share of answers with 5xx. */
export const errors = (by: string[], route: { route?: string } = {}) => {
  const of = (code: { code?: string }) =>
    sumBy(by, rate(series("gw_http_status", { ...code, ...route, ...HERE }), WINDOW));
  // 0 while there is no series of errors yet; nothing without an answer.
  return {
    expr: `(${of({ code: "=~5.." })} or 0 * ${of({})}) / (${of({})} > 0)`,
    legend: by.map((label) => `{{${label}}}`).join(" "),
  };
};

/** What half, 95 and 99 of a hundred observations were below. */
export function quantiles<N extends NameOf<"histogram">>(name: N, matchers: Matchers<N> = {}): Query[] {
  const own = { ...matchers, ...HERE } as Matchers<N>;
  return [0.5, 0.95, 0.99].map((share) => ({
    expr: quantile(share, name, { matchers: own, by: [], window: WINDOW }),
    legend: `p${share * 100}`,
  }));
}

/** One quantile, told apart. */
export function quantileBy<N extends NameOf<"histogram">>(
  share: number,
  name: N,
  by: readonly string[],
  matchers: Matchers<N> = {},
): Query {
  const own = { ...matchers, ...HERE } as Matchers<N>;
  return { expr: quantile(share, name, { matchers: own, by, window: WINDOW }), legend: legendOf(by, "all") };
}

/** Observations of a histogram a second. */
export function observed<N extends NameOf<"histogram">>(name: N, shown: Shown<N> = {}): Query {
  const { by = [], matchers = {}, legend = legendOf(by, "all") } = shown;
  const selected = part(name, "count", { ...matchers, ...HERE } as Matchers<N>);
  return { expr: sumBy(by, rate(selected, WINDOW)), legend };
}

/** Seconds of observations a second. */
export function spent<N extends NameOf<"histogram">>(name: N, shown: Shown<N> = {}): Query {
  const { by = [], matchers = {}, legend = legendOf(by, "all") } = shown;
  const selected = part(name, "sum", { ...matchers, ...HERE } as Matchers<N>);
  return { expr: sumBy(by, rate(selected, WINDOW)), legend };
}

/** The ten largest. */
export const top = ({ expr, legend }: Query): Query => ({ expr: `topk(10, ${expr})`, legend });

export function panel(title: string, description: string, unit: Unit, ...queries: Query[]): Panel {
  return { title, description, unit, queries };
}

export const stat = (title: string, description: string, unit: Unit, query: Query): Panel => ({
  ...panel(title, description, unit, query),
  as: "stat",
  width: 4,
});

export const wide = (made: Panel): Panel => ({ ...made, width: 12 });
/** @param steps colours of values from there on; without any, no value is better than another */
export const coloured = (made: Panel, ...steps: NonNullable<Panel["steps"]>): Panel => ({ ...made, steps });
/** Values below 0 say something. */
export const signed = (made: Panel): Panel => ({ ...made, isSigned: true });
export const stacked = (made: Panel): Panel => ({ ...made, as: "stacked" });
