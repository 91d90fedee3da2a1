import type { Panel, Query, Unit, Variable } from "./dashboard.js";
import type { Name, NameOf } from "./families.js";
import { type Matchers, part, quantile, rate, series, sumBy } from "./query.js";

/** Grafana's: as long as the resolution of the picture needs. */
export const WINDOW = "$__rate_interval";

/** Of the gateways that are chosen above the dashboard. */
export const HERE = { instance: "=~$instance" } as const;

export const INSTANCE: Variable = choice("instance", "Gateway", "gw_build_info");

export function choice(label: string, title: string, name: Name): Variable {
  const filter = label === "instance" ? "" : '{instance=~"$instance"}';
  return { name: label, label: title, query: `label_values(${name}${filter}, ${label})` };
}

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
export const stacked = (made: Panel): Panel => ({ ...made, as: "stacked" });
