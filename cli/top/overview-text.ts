import { printable } from "../../runtime/abi/text/unseen.js";
import type { OverviewAnswer, View } from "./source.js";

export type Row = OverviewAnswer["routes"][number];
export type Figures = Omit<OverviewAnswer["total"], "series" | "before">;

/** Orders of rows: descending, but names ascending. */
export const ORDERS = ["requests", "errors", "p99", "bytes", "name"] as const;
export type Order = (typeof ORDERS)[number];

/** Windows of the figures in seconds. */
export const WINDOWS = [10, 60, 300, 900] as const;

const BY: Record<Exclude<Order, "name">, (figures: Figures) => number> = {
  requests: ({ requests }) => requests,
  errors: ({ errors_5xx, errors_4xx }) => errors_5xx * 1e9 + errors_4xx,
  p99: ({ p99 }) => p99 ?? -1,
  bytes: ({ bytes_in, bytes_out }) => bytes_in + bytes_out,
};

/** Sorts equal rows by name, so that they stay in place. @param filter part of a name, in any case; "" selects all */
export function rowsOf(answer: OverviewAnswer, view: View, order: Order, filter: string): Row[] {
  const wanted = filter.toLowerCase();
  const rows = answer[view].filter(({ id }) => id.toLowerCase().includes(wanted));
  const byName = (a: Row, b: Row) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  if (order === "name") return rows.sort(byName);
  const value = BY[order];
  return rows.sort((a, b) => value(b) - value(a) || byName(a, b));
}

export interface Column {
  title: string;
  width: number;
  order: Order | undefined;
  text: (figures: Figures, seconds: number) => string;
  /** Reports whether the value needs attention. */
  isBad?: (figures: Figures) => boolean;
}

/** Columns behind the name, which takes the remaining width. */
export const COLUMNS: readonly Column[] = [
  { title: "req/s", width: 9, order: "requests", text: (f, s) => short(f.requests / s) },
  {
    title: "4xx",
    width: 7,
    order: undefined,
    text: ({ errors_4xx, requests }) => share(errors_4xx, requests),
  },
  {
    ...{ title: "5xx", width: 7, order: "errors" },
    text: ({ errors_5xx, requests }) => share(errors_5xx, requests),
    isBad: ({ errors_5xx }) => errors_5xx > 0,
  },
  { title: "p50 ms", width: 9, order: undefined, text: ({ p50 }) => milliseconds(p50) },
  { title: "p95 ms", width: 9, order: undefined, text: ({ p95 }) => milliseconds(p95) },
  { title: "p99 ms", width: 9, order: "p99", text: ({ p99 }) => milliseconds(p99) },
  { title: "in/s", width: 9, order: undefined, text: (f, s) => bytes(f.bytes_in / s) },
  { title: "out/s", width: 9, order: "bytes", text: (f, s) => bytes(f.bytes_out / s) },
];

/** Three significant digits: "0.12", "1.2", "853", "12.1k". */
function short(value: number): string {
  if (value >= 9_999_500) return `${digits(value / 1e6)}M`;
  if (value >= 9_999.5) return `${digits(value / 1e3)}k`;
  return digits(value);
}

const digits = (value: number): string => {
  if (value === 0) return "0";
  if (value < 0.01) return "<0.01";
  return value < 10 ? value.toPrecision(2).replace(/\.?0+$/, "") : String(Math.round(value));
};

const milliseconds = (value: number | null): string => (value === null ? "–" : digits(value));

/** Percentage: "0.3 %"; "–" if the whole is 0. */
function share(part: number, whole: number): string {
  if (whole === 0) return "–";
  if (part === 0) return "0 %";
  const percent = (100 * part) / whole;
  return percent < 0.1 ? "<0.1 %" : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Size: "1.2 MB"; a kilobyte has 1,000 bytes. */
function bytes(count: number): string {
  let [value, at] = [count, 0];
  for (; value >= 999.5 && at < UNITS.length - 1; at += 1) value /= 1_000;
  return `${at === 0 ? Math.round(value) : digits(value)} ${UNITS[at]}`;
}

const BARS = "▁▂▃▄▅▆▇█";

/** Line of bars for the last `width` points, scaled to the largest value; an unknown point is blank. */
export function sparkline(points: readonly (number | null)[], width: number): string {
  const shown = points.slice(-width);
  const most = Math.max(0, ...shown.map((point) => point ?? 0));
  return shown
    .map((point) => {
      if (point === null) return " ";
      return BARS[most === 0 ? 0 : Math.min(7, Math.floor((point / most) * 7.999))];
    })
    .join("");
}

/** State of the gateway in few words: "ready, generation 42, 2 of 2 workers". */
export function stateOf({ now }: OverviewAnswer): string {
  const ready = now.ready
    ? "ready"
    : `not ready (${printable(now.reasons[0]?.message ?? "no reason given")})`;
  return `${ready}, generation ${now.generation}, ${now.workers.length} of ${now.workers_expected} workers`;
}

export function totalOf({ total, counted_seconds: seconds }: OverviewAnswer): string {
  const errors = share(total.errors_4xx + total.errors_5xx, total.requests);
  const latency = [total.p50, total.p95, total.p99].map((value) => (value === null ? "–" : short(value)));
  const bandwidth = `in ${bytes(total.bytes_in / seconds)}/s, out ${bytes(total.bytes_out / seconds)}/s`;
  return `${short(total.requests / seconds)} requests/s, ${errors} errors, p50/p95/p99 ${latency.join("/")} ms, ${bandwidth}`;
}

/** Items that need attention, with the remedy, one on a line. */
export const attentionOf = ({ attention }: OverviewAnswer): { isError: boolean; text: string }[] =>
  attention.map(({ severity, text, action }) => ({
    isError: severity === "error",
    text: `${severity}: ${printable(text)}; ${printable(action)}`,
  }));

export function plainText(answer: OverviewAnswer, view: View, order: Order, filter: string): string {
  const rows = rowsOf(answer, view, order, filter);
  const names = rows.map(({ id }) => printable(id));
  const width = Math.max(view.length, ...names.map(({ length }) => length)) + 1;
  const cell = (text: string, wide: number) => text.padStart(wide);
  const head = view.padEnd(width) + COLUMNS.map((one) => cell(one.title, one.width)).join("");
  const lines = rows.map((row, at) => {
    const cells = COLUMNS.map((one) => cell(one.text(row, answer.counted_seconds), one.width)).join("");
    return (names[at] ?? "").padEnd(width) + cells;
  });
  const top = [stateOf(answer), `last ${answer.seconds} s: ${totalOf(answer)}`];
  const attention = attentionOf(answer).map(({ text }) => text);
  return `${[...top, ...attention, "", head, ...lines].join("\n")}\n`;
}
