import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { lossyNumbersIn, type MarkedKey, type NodeSpan, type Parsed } from "./marks.js";
import { parsePlainYaml } from "./plain-yaml.js";
import type { SourceDiagnostics } from "./source-diagnostics.js";
import { MAX_DEPTH, put, scalarFault } from "./values.js";
import { composeYaml, Unclosed } from "./yaml-document.js";

/** Limit of values repeated by aliases: enough for 10,000 routes sharing 50 each, too few to exhaust the memory. */
const MAX_REPEATED = 500_000;

/** `size` counts the node and all of its parts, with aliases expanded. */
interface Read extends Parsed {
  size: number;
}

const OWN_CODES: Partial<Record<YAMLError["code"], string>> = {
  MULTIPLE_DOCS: "GW1004",
  TAB_AS_INDENT: "GW1005",
  TAG_RESOLVE_FAILED: "GW1013",
};

/** Parses YAML 1.2, core schema, with anchors, aliases and merge keys; every value exists in JSON. */
export function parseYaml(text: string, findings: SourceDiagnostics): Parsed | undefined {
  return parsePlainYaml(text) ?? parseAnyYaml(text, findings);
}

export function parseAnyYaml(text: string, findings: SourceDiagnostics): Parsed | undefined {
  const composed = composeYaml(text);
  if ("tooDeepAt" in composed) {
    const start = composed.tooDeepAt;
    findings.add("GW1009", start, start + 1, { limit: MAX_DEPTH });
    return undefined;
  }
  if ("faults" in composed) {
    reportSyntax(composed.faults, new Unclosed(text, composed.documents), findings);
    return undefined;
  }
  const reader = new YamlReader(findings);
  const { value, mark } = reader.read(composed.contents, 0);
  return { value, mark, ...(reader.hasLossyNumbers && { lossy: lossyNumbersIn(mark) }) };
}

/** Number that loses written zeros, which may be intended: a version (1.10), a postal code (01234). */
const isLossy = ({ value, source = "" }: Scalar): boolean =>
  typeof value === "number" && /^(?:0[0-9]|[0-9]+\.[0-9]*0$)/.test(source);

/** Reports one fault for each line, since the first usually causes the others on its line. */
function reportSyntax(faults: readonly YAMLError[], unclosed: Unclosed, findings: SourceDiagnostics): void {
  const { text } = unclosed;
  const lines = new Set<number>();
  for (const fault of [...faults].sort((a, b) => a.pos[0] - b.pos[0])) {
    const line = findings.lines.at(Math.min(fault.pos[0], text.length)).line;
    if (lines.has(line) || lines.size >= 20) continue;
    lines.add(line);
    reportFault(fault, unclosed, findings);
  }
}

function reportFault(fault: YAMLError, unclosed: Unclosed, findings: SourceDiagnostics): void {
  const { text } = unclosed;
  const at = Math.min(fault.pos[0], text.length);
  const quote = /^Missing closing/.test(fault.message) ? unclosed.before(at, "quote") : undefined;
  const bracket = /^Flow /.test(fault.message) ? unclosed.before(at, "bracket") : undefined;
  // The parser reports an open quote at the end of the text, where nothing can be corrected.
  const start = quote ?? at;
  const end = Math.max(start, Math.min(fault.pos[1], lineEnd(text, start)));
  const params = { reason: reason(fault), limit: MAX_DEPTH, tag: text.slice(start, end) };
  const notes =
    bracket === undefined ? [] : [findings.note("the bracket is opened here", bracket, bracket + 1)];
  findings.add(OWN_CODES[fault.code] ?? "GW1001", start, end, params, { notes });
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}

/** Most frequent faults of the parser, in words for an operator. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Flow sequence in block/, 'the list is not closed: "]" is missing, or this line is not indented enough'],
  [/^Flow map in block/, 'the object is not closed: "}" is missing, or this line is not indented enough'],
  [
    /^Nested mappings are not/,
    'a second ": " on one line; quote the text, or put the object on lines of its own',
  ],
  [
    /^Sequence item without/,
    'this line is neither an item that starts with "- " nor indented like the item above',
  ],
  [
    /^All (?:mapping|sequence|collection) items must/,
    "this line is indented differently from its neighbours",
  ],
  [/^Missing closing (['"])/, "text in $1 is not closed"],
  [/^Implicit keys need to be on a single line/, '":" is missing after the key that begins here'],
  [/^Implicit (?:map )?keys need to be followed/, '":" is missing after this key'],
  [/^Plain value cannot start with .*?(\S)$/, "text that starts with $1 must be in quotes"],
  [
    /^Unexpected (?:scalar|flow-\S+|map-value-ind|seq-item-ind)\b.*/,
    "this does not belong here; check the indentation and brackets before it",
  ],
];

function reason(fault: YAMLError): string {
  const first = (fault.message.split("\n")[0] ?? "").replace(/\.$/, "");
  for (const [pattern, words] of WORDS) {
    const found = pattern.exec(first);
    if (found) return words.replace("$1", () => found[1] ?? "");
  }
  return first.charAt(0).toLowerCase() + first.slice(1);
}

class YamlReader {
  readonly #findings: SourceDiagnostics;
  /** "open" while being read, which reveals an alias inside of its own node. */
  readonly #anchors = new Map<string, Read | "open">();
  #repeated = 0;
  hasLossyNumbers = false;

  constructor(findings: SourceDiagnostics) {
    this.#findings = findings;
  }

  read(node: unknown, depth: number): Read {
    if (isAlias(node)) return this.#alias(node);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, "open");
    const read = this.#node(node, depth);
    if (anchor !== undefined) this.#anchors.set(anchor, read);
    return read;
  }

  #node(node: unknown, depth: number): Read {
    if (isScalar(node)) return this.#scalar(node);
    if (!isMap(node) && !isSeq(node)) return { value: null, mark: { start: 0, end: 0 }, size: 1 };
    if (depth >= MAX_DEPTH) {
      const [start] = rangeOf(node);
      this.#findings.add("GW1009", start, start + 1, { limit: MAX_DEPTH });
      return { value: null, mark: { start, end: start }, size: 1 };
    }
    return isMap(node) ? this.#map(node, depth) : this.#list(node, depth);
  }

  #scalar(node: Scalar): Read {
    const [start, end] = rangeOf(node);
    const raw = node.type === "QUOTE_DOUBLE" ? `\\${node.source ?? ""}` : (node.source ?? "");
    const fault = scalarFault(node.value, raw);
    if (fault !== undefined) this.#findings.add(fault, start, end, { value: node.source ?? "" });
    if (!isLossy(node)) return { value: node.value, mark: { start, end }, size: 1 };
    this.hasLossyNumbers = true;
    return { value: node.value, mark: { start, end, written: node.source ?? "" }, size: 1 };
  }

  #list(node: YAMLSeq, depth: number): Read {
    const value: unknown[] = [];
    const items: NodeSpan[] = [];
    let size = 1;
    for (const item of node.items) {
      const read = this.read(item, depth + 1);
      value.push(read.value);
      items.push(read.mark);
      size += read.size;
    }
    const [start, end] = rangeOf(node);
    return { value, mark: { start, end, items }, size };
  }

  #map(node: YAMLMap, depth: number): Read {
    const value: Record<string, unknown> = {};
    const keys = new Map<string, MarkedKey>();
    const merged: Read[] = [];
    let size = 1;
    for (const pair of node.items) {
      const key = this.#key(pair);
      if (key === undefined) continue;
      const read =
        pair.value === null
          ? { value: null, mark: { start: key.end, end: key.end }, size: 1 }
          : this.read(pair.value, depth + 1);
      size += read.size;
      if (key.merge) merged.push(...this.#mergeSources(read, key));
      else if (!this.#duplicate(keys, key)) {
        keys.set(key.name, { start: key.start, end: key.end, value: read.mark });
        put(value, key.name, read.value);
      }
    }
    for (const source of merged) mergeInto(value, keys, source);
    const [start, end] = rangeOf(node);
    return { value, mark: { start, end, keys }, size };
  }

  #key(pair: Pair): { name: string; start: number; end: number; merge: boolean } | undefined {
    const key = pair.key;
    const [start, end] = rangeOf(key);
    if (!isScalar(key) || typeof key.value !== "string") {
      const written = isScalar(key) && key.source ? `"${key.source}"` : "this key";
      this.#findings.add("GW1008", start, Math.max(end, start + 1), { key: written });
      return undefined;
    }
    return { name: key.value, start, end, merge: key.value === "<<" && key.type === "PLAIN" };
  }

  #duplicate(keys: Map<string, MarkedKey>, key: { name: string; start: number; end: number }): boolean {
    const first = keys.get(key.name);
    if (first === undefined) return false;
    const notes = [this.#findings.note(`"${key.name}" is first set here`, first.start, first.end)];
    this.#findings.add("GW1003", key.start, key.end, { key: key.name }, { notes });
    return true;
  }

  /** Source of `<<`: one object, or a list of them. */
  #mergeSources(read: Read, key: { start: number; end: number }): Read[] {
    const list = Array.isArray(read.value)
      ? read.value.map((value, i) => ({ value, mark: read.mark.items?.[i] ?? read.mark, size: 0 }))
      : [read];
    if (list.every(({ value }) => typeof value === "object" && value !== null && !Array.isArray(value)))
      return list;
    this.#findings.add("GW1016", key.start, key.end);
    return [];
  }

  #alias(node: Alias): Read {
    const [start, end] = rangeOf(node);
    const target = this.#anchors.get(node.source);
    if (target === undefined || target === "open") {
      const reason = target === undefined ? "no earlier anchor has this name" : "it is inside its own anchor";
      this.#findings.add("GW1012", start, end, { alias: node.source, reason });
      return { value: null, mark: { start, end }, size: 1 };
    }
    const before = this.#repeated;
    this.#repeated += target.size;
    if (before <= MAX_REPEATED && this.#repeated > MAX_REPEATED)
      this.#findings.add("GW1011", start, end, { limit: MAX_REPEATED });
    return { value: target.value, mark: { ...target.mark, start, end }, size: target.size };
  }
}

/** Lets existing fields win, as YAML's merge key requires. */
function mergeInto(value: Record<string, unknown>, keys: Map<string, MarkedKey>, source: Read): void {
  for (const [name, member] of Object.entries(source.value as Record<string, unknown>)) {
    const mark = source.mark.keys?.get(name);
    if (keys.has(name) || mark === undefined) continue;
    keys.set(name, mark);
    put(value, name, member);
  }
}

function rangeOf(node: unknown): [number, number] {
  const range = (node as { range?: [number, number, number] | null } | null)?.range;
  return range ? [range[0], range[1]] : [0, 0];
}
