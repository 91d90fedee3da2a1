import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { Finding, Position, Span } from "../api/client";
import { type FieldSteps, nameOfField } from "../forms/unreadable-fields";
import type { Checked } from "./draft-queries";

/** Reports whether a diagnostic is about the checked text, not about another file. */
export const isOurs = ({ file }: Span): boolean => file.includes("/gw/admin/");

/** Field that a diagnostic, or a note of one, is about; undefined if it is outside of the text. */
export function fieldOf({ span }: Pick<Finding, "span">, text: string | undefined): FieldSteps | undefined {
  if (span === undefined || text === undefined || !isOurs(span)) return undefined;
  return fieldAtPosition(text, span.start);
}

/** Messages of diagnostics by field; notes are omitted, because they are no fault of a field. */
export function messagesByField(
  { findings, text }: Checked,
  below: FieldSteps = [],
): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (const finding of findings) {
    const path = fieldOf(finding, text);
    if (finding.severity === "note" || !isBelow(path, below)) continue;
    const name = nameOfField(path.slice(below.length));
    if (name !== "" && !said.has(name)) said.set(name, finding.message);
  }
  return said;
}

export const isBelow = (path: FieldSteps | undefined, above: FieldSteps): path is FieldSteps =>
  path !== undefined && above.every((step, at) => String(step) === String(path[at]));

/** Returns the field of a name, a value, or its surroundings. Lines and columns count from 1. */
function fieldAtPosition(text: string, { line, column }: Position): FieldSteps {
  const lines = text.split("\n");
  const offset = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
  const path: (string | number)[] = [];
  // The parser of YAML, which includes JSON, yields ranges also for an incomplete text.
  let at: unknown = parseDocument(text, { uniqueKeys: false }).contents;
  for (;;) {
    const step = stepAt(at, offset);
    if (step === undefined) return path;
    path.push(step.name);
    at = step.value;
  }
}

const holds = (node: unknown, offset: number): boolean => {
  const [from, to] = (node as Node | null)?.range ?? [0, -1];
  return from <= offset && offset < to;
};

function stepAt(node: unknown, offset: number): { name: string | number; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key, value }) => holds(key, offset) || holds(value, offset));
    if (!isScalar(pair?.key)) return undefined;
    return { name: String(pair.key.value), value: holds(pair.key, offset) ? undefined : pair.value };
  }
  if (!isSeq(node)) return undefined;
  const index = node.items.findIndex((item) => holds(item, offset));
  return index < 0 ? undefined : { name: index, value: node.items[index] };
}

/**
 * Maps diagnostics of the sent JSON to the edited YAML; those without a field have no position.
 * @param json the checked text
 * @param below path of the edited text inside the JSON
 */
export function diagnosticsInYaml(
  findings: readonly Finding[],
  json: string | undefined,
  yaml: string,
  below: FieldSteps = [],
): Finding[] {
  if (findings.length === 0) return [];
  const lines = new LineCounter();
  const { contents } = parseDocument(yaml, { lineCounter: lines, uniqueKeys: false });
  return findings.flatMap((finding) => {
    const path = fieldOf(finding, json);
    const inner = isBelow(path, below) ? path.slice(below.length) : [];
    const range = inner.length === 0 ? undefined : rangeOf(contents, inner);
    if (finding.span === undefined || range === undefined) return [];
    return [{ ...finding, span: { ...finding.span, ...spanOf(lines, range) } }];
  });
}

type Range = readonly [from: number, to: number];

/** Ends with the value if that is a scalar, else with the name; of an item it is the item. */
function rangeOf(contents: unknown, path: FieldSteps): Range | undefined {
  let at: unknown = contents;
  let range: Range | undefined;
  for (const step of path) {
    if (isMap(at)) {
      const pair = at.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      const name = whole(pair?.key);
      if (name === undefined) return range;
      const value = isScalar(pair?.value) ? whole(pair.value) : undefined;
      range = [name[0], Math.max(name[1], value?.[1] ?? 0)];
      at = pair?.value;
    } else if (isSeq(at)) {
      at = at.items[Number(step)];
      range = whole(at) ?? range;
    } else return range;
  }
  return range;
}

function whole(node: unknown): Range | undefined {
  const range = (node as Node | null | undefined)?.range;
  return range ? [range[0], range[1]] : undefined;
}

function spanOf(lines: LineCounter, [from, to]: Range): Pick<Span, "start" | "end"> {
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  return { start: at(from), end: at(to) };
}
