import { isMap, isScalar, isSeq, type Node, parseDocument } from "yaml";
import type { Position } from "../api/client";
import type { FieldSteps } from "../forms/unreadable-fields";

/** Returns the field of a name, a value, or its surroundings. Lines and columns count from 1. */
export function fieldAtPosition(text: string, { line, column }: Position): FieldSteps {
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
