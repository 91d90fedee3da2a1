import type { LabelOf, Name, NameOf } from "./families.js";

/** Values of labels; one that begins with `=~`, `!=` or `!~` is compared so. `job` and `instance` are Prometheus's own, `le` a bucket's. */
export type Matchers<N extends Name> = Partial<Record<LabelOf<N> | "job" | "instance" | "le", string>>;

function selector(name: string, matchers: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(matchers).map(([label, text = ""]) => {
    const [, operator = "=", value = ""] = /^(=~|!=|!~)?(.*)$/.exec(text) ?? [];
    return `${label}${operator}${JSON.stringify(value)}`;
  });
  return parts.length === 0 ? name : `${name}{${parts.join(",")}}`;
}

/** The series of a metric of the table: neither a name nor a label that is not in it can be written. */
export function series<N extends NameOf<"counter" | "gauge">>(name: N, matchers: Matchers<N> = {}): string {
  return selector(name, matchers);
}

/** Series of a histogram: its buckets, or the sum or number of its observations. */
export function part<N extends NameOf<"histogram">>(
  name: N,
  which: "bucket" | "sum" | "count",
  matchers: Matchers<N> = {},
): string {
  return selector(`${name}_${which}`, matchers);
}

/** Of a counter, or of a part of a histogram, a second. */
export const rate = (selected: string, window: string): string => `rate(${selected}[${window}])`;

export const sumBy = (labels: readonly string[], expression: string): string =>
  `sum by (${labels.join(", ")}) (${expression})`;

export const maxBy = (labels: readonly string[], expression: string): string =>
  `max by (${labels.join(", ")}) (${expression})`;

/** What `share` of the observations were below. @param by labels that are told apart */
export function quantile<N extends NameOf<"histogram">>(
  share: number,
  name: N,
  { matchers = {}, by, window }: { matchers?: Matchers<N>; by: readonly string[]; window: string },
): string {
  const buckets = rate(part(name, "bucket", matchers), window);
  return `histogram_quantile(${share}, ${sumBy([...by, "le"], buckets)})`;
}

/** A counter that every page has on which workers are counted, from their start. */
const ALWAYS = series("gw_http_requests_total");

/**
 * Holds while a counter has grown within `window`. Prometheus sees no growth in a series that begins above 0, as a counter of
 * something rare does: one that was missing on a page of this gateway within the window counts whole. What stands on the first page
 * that Prometheus reads, as after an outage of its own, is no news; nor is what is back after a page could not be read.
 */
export function grew<N extends NameOf<"counter">>(
  name: N,
  { matchers = {}, by, window }: { matchers?: Matchers<N>; by: readonly string[]; window: string },
): string {
  const selected = series(name, matchers);
  const grown = sumBy(by, `increase(${selected}[${window}])`);
  const counted = (one: string) => `count_over_time(${one}[${window}])`;
  const isNew = `${counted(selected)} < on (instance, job) group_left () ${counted(ALWAYS)}`;
  const begun = sumBy(by, `(${selected} unless ${selected} offset ${window}) and (${isNew})`);
  return `${grown} > 0 or ${begun} > 0`;
}
