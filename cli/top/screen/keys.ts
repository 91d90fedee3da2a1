import type { Key } from "ink";
import type { TopStart } from "../index.js";
import { type Order, WINDOWS } from "../overview-text.js";
import type { View } from "../source.js";

export interface Shown {
  view: View;
  order: Order;
  filter: string;
  seconds: number;
  /** Name of the marked row; undefined for the first. */
  at: string | undefined;
  /** Only the marked row is shown. */
  isOpen: boolean;
  /** Keys go to the filter. */
  isTyping: boolean;
  isPaused: boolean;
  /** The keys are shown in place of the rows, until the next key. */
  isHelp: boolean;
}

export const begin = ({ view, order, seconds }: TopStart): Shown => ({
  ...{ view, order, seconds, filter: "", at: undefined },
  ...{ isOpen: false, isTyping: false, isPaused: false, isHelp: false },
});

const ORDER_KEYS: Readonly<Record<string, Order>> = {
  ...{ r: "requests", e: "errors", p: "p99", b: "bytes", n: "name" },
};

export const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ["r e p b n", "sort by requests, errors, p99, bytes, name"],
  ["Up Down j k", "move the selection; PgUp PgDn by ten rows"],
  ["Enter", "show the history and nodes of the selected row"],
  ["Esc", "go back; in the list: clear the filter"],
  ["/", "filter by part of the name"],
  ["Tab", "switch between routes and upstreams"],
  ["w", "time span: 10 s, 1, 5 or 15 minutes"],
  ["Space", "pause or resume"],
  ["q Ctrl-C", "quit"],
];

/** Keys that Ink names only if they arrive alone. */
const NAMED: Readonly<Record<string, Partial<Key>>> = {
  "\r": { return: true },
  "\t": { tab: true },
  "\b": { backspace: true },
  "\x7f": { backspace: true },
};

/** Splits an input into its keys: Ink reports keys that arrive together, as over a slow line, as one. */
export function keysOf(input: string, key: Key): [input: string, key: Key][] {
  if (input.length <= 1) return [[input, key]];
  return Array.from(input, (one) => {
    const named = NAMED[one];
    return named === undefined ? [one, key] : ["", { ...key, ...named }];
  });
}

/** Undefined if the user quits. @param namesNow names of the rows in order, for the keys that need them */
export function after(
  shown: Shown,
  input: string,
  key: Key,
  namesNow: () => readonly string[],
): Shown | undefined {
  if (shown.isTyping) return typed(shown, input, key);
  if (input === "q") return undefined;
  if (shown.isHelp) return { ...shown, isHelp: false };
  if (input === "?") return { ...shown, isHelp: true };
  if (input === " ") return { ...shown, isPaused: !shown.isPaused };
  if (input === "w") return { ...shown, seconds: longer(shown.seconds), isPaused: false };
  if (shown.isOpen) return key.escape || key.return || key.backspace ? { ...shown, isOpen: false } : shown;
  if (key.escape) return { ...shown, filter: "" };
  if (key.tab) return { ...shown, view: shown.view === "routes" ? "upstreams" : "routes", at: undefined };
  if (input === "/") return { ...shown, isTyping: true };
  const order = ORDER_KEYS[input];
  if (order !== undefined) return { ...shown, order, at: undefined };
  const step = stepOf(input, key);
  if (step === 0 && !key.return) return shown;
  const names = namesNow();
  if (names.length === 0) return shown;
  if (key.return) return { ...shown, at: markedOf(shown, names), isOpen: true };
  const from = names.indexOf(markedOf(shown, names) ?? "");
  return { ...shown, at: names[Math.max(0, Math.min(names.length - 1, from + step))] };
}

/** Name of the marked row, or of the first if the marked one is gone. */
export const markedOf = ({ at }: Shown, names: readonly string[]): string | undefined =>
  at !== undefined && names.includes(at) ? at : names[0];

function stepOf(input: string, key: Key): number {
  if (key.downArrow || input === "j") return 1;
  if (key.upArrow || input === "k") return -1;
  if (key.pageDown) return 10;
  return key.pageUp ? -10 : 0;
}

function typed(shown: Shown, input: string, key: Key): Shown {
  if (key.return) return { ...shown, isTyping: false };
  if (key.escape) return { ...shown, filter: "", isTyping: false };
  if (key.backspace || key.delete)
    return { ...shown, filter: Array.from(shown.filter).slice(0, -1).join("") };
  return key.ctrl || key.meta || key.tab ? shown : { ...shown, filter: shown.filter + input, at: undefined };
}

function longer(seconds: number): number {
  const at = WINDOWS.findIndex((one) => one > seconds);
  return WINDOWS[Math.max(0, at)] ?? WINDOWS[0];
}
