import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { Finding, Span } from "../api/client";
import type { FieldSteps } from "../forms/unreadable-fields";
import { fieldOf, isBelow } from "./located-diagnostics";

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
