import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSource } from "../../compiler/1-parse/parse.js";
import type { Path, Spans } from "../../compiler/model/source.js";
import { runs } from "../support/runs.js";

/** A value with few names, so that objects have the same ones in other orders. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, 17, "text"),
    fc.array(tie("any"), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom("b", "a", "d", "c", "0", "1"), tie("any")), {
        selector: ([key]) => key,
      })
      .map((fields) => new Map(fields as [string, unknown][])),
  ),
})).any;

/** JSON with fields in their given order: objects of JavaScript have numbers first. */
function written(part: unknown): string {
  if (Array.isArray(part)) return `[${part.map(written).join(", ")}]`;
  if (!(part instanceof Map)) return JSON.stringify(part);
  return `{ ${[...part].map(([key, member]) => `"${key}": ${written(member)}`).join(", ")} }`;
}

function* placesIn(part: unknown, path: Path): Generator<{ path: Path; part: unknown; key?: string }> {
  const members = part instanceof Map ? [...part] : Array.isArray(part) ? [...part.entries()] : [];
  for (const [step, member] of members as [string | number, unknown][]) {
    yield { path: [...path, step], part: member, ...(typeof step === "string" && { key: step }) };
    yield* placesIn(member, [...path, step]);
  }
}

describe("source locations of a document", () => {
  for (const format of ["json", "yaml"] as const)
    it(`the span of each part and key in ${format} is its text, from the root and from each parent`, () => {
      fc.assert(
        fc.property(value, (root) => {
          const text = format === "json" ? written(root) : `root: ${written(root)}\n`;
          const { document } = parseSource({ name: "a", text, format });
          const top: Path = format === "json" ? [] : ["root"];
          const spans = document?.spans as Spans;
          const at = ({ start, end }: ReturnType<Spans["value"]>) =>
            text.slice(start.column - 1, end.column - 1);
          for (const { path, part, key } of placesIn(root, top)) {
            const below = spans.below(path.slice(0, -1));
            expect(at(spans.value(path))).toBe(written(part));
            expect(at(below.value(path.slice(-1)))).toBe(written(part));
            expect(at(spans.key(path))).toBe(key === undefined ? written(part) : `"${key}"`);
            expect(at(below.key(path.slice(-1)))).toBe(key === undefined ? written(part) : `"${key}"`);
            expect(at(spans.value([...path, "absent"]))).toBe(written(part));
            expect(at(spans.value([...path, 99]))).toBe(written(part));
          }
        }),
        { numRuns: runs(300) },
      );
    });
});
