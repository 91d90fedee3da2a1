import { printable } from "../../runtime/abi/text/unseen.js";
import { bytes, COLUMNS, type Order, rowsOf, share, short } from "./rows.js";
import type { OverviewAnswer, View } from "./source.js";

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
