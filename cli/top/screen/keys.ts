import type { Key } from "ink";
import type { TopStart } from "../contract.js";
import { type Order, WINDOWS } from "../rows.js";
import type { View } from "../source.js";

/** Part of the gateway that is shown, and how. */
export interface Shown {
  view: View;
  order: Order;
  filter: string;
  seconds: number;
  /** Name of the row with the mark; undefined: the first. */
  at: string | undefined;
  /** The row with the mark is shown alone. */
  isOpen: boolean;
  /** Keys go to the filter. */
  isTyping: boolean;
  isPaused: boolean;
  /** The keys are shown in the place of rows; the next key ends it. */
  isHelp: boolean;
}

export const begin = ({ view, order, seconds }: TopStart): Shown => ({
  ...{ view, order, seconds, filter: "", at: undefined },
  ...{ isOpen: false, isTyping: false, isPaused: false, isHelp: false },
});

const ORDER_KEYS: Readonly<Record<string, Order>> = {
  ...{ r: "requests", e: "errors", p: "p99", b: "bytes", n: "name" },
};

/** All keys and what they do. */
export const KEY_HELP: readonly (readonly [keys: string, what: string])[] = [
  ["r e p b n", "order by requests, errors, p99, bytes, name"],
  ["Up Down j k", "move the mark; PgUp PgDn by ten"],
  ["Enter", "the marked row: its course and nodes"],
  ["Esc", "back; without a row open: no filter"],
  ["/", "filter by a part of the name"],
  ["Tab", "routes or upstreams"],
  ["w", "of the last 10 s, 1, 5 or 15 minutes"],
  ["Space", "pause, go on"],
  ["q Ctrl-C", "quit"],
];

/** Keys that Ink names only where they come alone. */
const NAMED: Readonly<Record<string, Partial<Key>>> = {
  "\r": { return: true },
  "\t": { tab: true },
  "\b": { backspace: true },
  "\x7f": { backspace: true },
};

/** Splits an input into its keys: those that come together, as over a slow line, are one. */
export function keysOf(input: string, key: Key): [input: string, key: Key][] {
  if (input.length <= 1) return [[input, key]];
  return Array.from(input, (one) => {
    const named = NAMED[one];
    return named === undefined ? [one, key] : ["", { ...key, ...named }];
  });
}

/**
 * State of the screen after a key.
 * @param namesNow of the rows, in their order; asked for by keys that need them
 * @returns undefined: somebody quits
 */
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

/** The row with the mark; the first where that is gone. */
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
