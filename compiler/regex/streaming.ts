import { reachOf } from "./analyse/reach.js";
import { AnalysisCache } from "./analysis-cache.js";
import { children, EMPTY, type Node, referenced } from "./ast.js";
import { parseOptions } from "./options.js";
import { crossesLines, type Partial, partialOf } from "./partial.js";
import { printPattern } from "./print.js";
import { printSet } from "./print-parts.js";
import { RegexError } from "./regex-error.js";
import { parseRegex } from "./translate.js";

/** Path of a body through a filter, with the reason in the words of an operator. */
export type Flow =
  | {
      /** Piece by piece, in constant memory. */
      mode: "stream";
      reason: string;
      /** Lookahead in bytes, at least 1: a match that starts this far before the end of the input so far is final. */
      window: number;
      behind: number;
      /** Class of the unused run at the end of a match, which may be cut anywhere; null if there is none. */
      run: string | null;
      /** Finds the matches that more text can change. Null if impossible: all text within the window waits. */
      partial: Partial | null;
      /** A match can be open behind a line feed: the end of a line or an event may wait. */
      crossesLines: boolean;
    }
  | { mode: "hold"; reason: string };

interface Reading {
  /** Captures that the replacement text reads; 0 is the whole match. */
  captures: readonly number[];
  scope: "once" | "global";
  /** The text is decoded first, so that characters are not bytes. */
  utf8: boolean;
}

/** A streaming filter delays at most these bytes; a longer match needs the whole body. */
const MAX_REACH = 65_536;
const MAX_SHOWN = 40;

const flows = new AnalysisCache<Flow>("flow", 2_000);

/** A streamed body has the same result as the whole one. */
export function flowOf(pattern: string, options: string, reading: Reading): Flow {
  const key = JSON.stringify([options, reading.scope, reading.captures, reading.utf8, pattern]);
  return flows.get(key, () => judge(pattern, options, reading));
}

/**
 * A linear engine runs above `upTo` bytes. It cannot find open matches, so all text that a match depends on
 * waits, wherever a line ends.
 */
export function onLinearEngine(flow: Flow, upTo: number): Flow {
  if (flow.mode === "hold" || flow.window - 1 + Math.max(flow.behind, 1) <= upTo) return flow;
  return { ...flow, crossesLines: flow.window > 1 };
}

function judge(pattern: string, options: string, { captures, scope, utf8 }: Reading): Flow {
  const node = parseRegex(pattern, options);
  const parsed = parseOptions(options);
  if (node === undefined || !parsed.ok) return { mode: "hold", reason: "it was not translated" };
  if (utf8) return { mode: "hold", reason: "option u needs the whole body" };
  const tail = withoutRun(node, new Set([...captures, ...referenced(node)]));
  const read = captures.includes(0);
  const decisive = tail === undefined || read ? node : tail.rest;
  const { consumes, ahead, behind } = reachOf(decisive);
  const run = tail === undefined || read ? null : `${printSet(tail.set, false)}*`;
  if (consumes === Infinity || ahead === Infinity) return { mode: "hold", reason: endless(node, tail, read) };
  const longest = Math.max(consumes, ahead, behind);
  if (longest > MAX_REACH)
    return { mode: "hold", reason: `a match depends on up to ${longest} bytes, more than ${MAX_REACH}` };
  // Without "y", "^" is printed in front of an anchored pattern.
  const anchored = parsed.options.anchored && scope === "once";
  const window = Math.max(ahead, 1);
  const partial = window === 1 ? undefined : partialOf(decisive, anchored);
  return {
    mode: "stream",
    reason: `a match takes at most ${bytes(consumes)}${run === null ? "" : ", and a run that the replacement does not read"}`,
    window,
    behind: Math.max(behind, anchored ? 1 : 0),
    run,
    partial: partial ?? null,
    crossesLines: window > 1 && (partial === undefined || crossesLines(decisive)),
  };
}

/** Returns `streams: a match takes at most 6 bytes`. */
export const flowText = ({ mode, reason }: Flow): string =>
  `${mode === "stream" ? "streams" : "holds the body"}: ${reason}`;

/** Describes how long a filter delays a live stream. */
export function delayText(flow: Flow): string {
  if (flow.mode === "hold") return "a live stream waits until it ends";
  if (flow.window === 1) return "a live stream never waits";
  const most = `a live stream waits with at most ${bytes(flow.window - 1)}`;
  return flow.crossesLines
    ? `${most}, also past the end of an event`
    : `${most}, never past the end of a line`;
}

const bytes = (count: number) => (count === 1 ? "1 byte" : `${count} bytes`);

interface Tail {
  /** With the run reduced to its minimum. */
  rest: Node;
  set: (Node & { kind: "set" })["set"];
}

/**
 * Greedy run of one class at the end of the pattern. Its length affects neither the text in front of it nor
 * whether there is a match.
 * @param read groups whose text is used
 */
function withoutRun(node: Node, read: ReadonlySet<number>): Tail | undefined {
  switch (node.kind) {
    case "repeat":
      if (node.body.kind !== "set" || node.max !== Infinity || node.mode === "lazy") return undefined;
      return { rest: node.min === 0 ? EMPTY : { ...node, max: node.min }, set: node.body.set };
    case "sequence": {
      const last = node.items.at(-1);
      const tail = last && withoutRun(last, read);
      return tail && { ...tail, rest: { ...node, items: [...node.items.slice(0, -1), tail.rest] } };
    }
    case "group":
    case "atomic": {
      if (node.kind === "group" && read.has(node.number)) return undefined;
      const tail = withoutRun(node.body, read);
      return tail && { ...tail, rest: { ...node, body: tail.rest } };
    }
    default:
      return undefined;
  }
}

/** Returns the reason why a match has no maximum length. */
function endless(node: Node, tail: Tail | undefined, read: boolean): string {
  const part = endlessPart(node);
  const shown = part === undefined ? undefined : printed(part);
  if (shown === undefined) return "a match may be of any length";
  const only = tail !== undefined && endlessPart(tail.rest) === undefined;
  return `${shown} matches text of any length${only && read ? ", and the replacement reads it" : ""}`;
}

function endlessPart(node: Node): Node | undefined {
  for (const child of children(node)) {
    const found = endlessPart(child);
    if (found !== undefined) return found;
  }
  return node.kind === "repeat" && node.max === Infinity ? node : undefined;
}

function printed(node: Node): string | undefined {
  try {
    const text = printPattern(node, { utf: false, usedCaptures: new Set(), groupStates: new Map() });
    return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
  } catch (error) {
    if (error instanceof RegexError) return undefined;
    throw error;
  }
}
