import { expect, test } from "vitest";
import { setOf } from "../../../compiler/regex/charset.js";
import { Labels } from "../../../compiler/regex/cost/labels.js";
import { worstCase } from "../../../compiler/regex/engine.js";
import { parseRegex } from "../../../compiler/regex/translate.js";

/** Returns the characters whose bits are set; no two of them are adjacent. */
const charactersOf = (bits: number) =>
  setOf(Array.from({ length: 17 }, (_, i) => i).flatMap((i) => (bits & (1 << i) ? [[2 * i, 2 * i]] : [])));

test("the meet of two labels is the label of their sets' intersection, with more than 65,536 sets", () => {
  const labels = new Labels([charactersOf(2 ** 17 - 1)]);
  const bitsOf = new Map<number, number>();
  const labelOf = Array.from({ length: 70_000 }, (_, bits) => labels.of(charactersOf(bits)));
  for (const [bits, label] of labelOf.entries()) bitsOf.set(label, bits);
  const last = Math.max(...bitsOf.keys());
  const shared = (a: number, b: number) => [
    labels.meet(a, b),
    labelOf[(bitsOf.get(a) ?? 0) & (bitsOf.get(b) ?? 0)],
  ];
  for (let b = 65_540; b <= last; b++)
    for (const [one, other] of [
      [2, b],
      [3, b - 65_536],
    ] as const) {
      const [found, expected] = shared(one, other);
      if (found !== expected) expect.fail(`labels ${one} and ${other} share ${found}, not ${expected}`);
    }
});

test("the classes of a label are those that fit it", () => {
  const labels = new Labels([charactersOf(0b101), setOf([[100, 2_000]])]);
  const [label, wide] = [labels.of(charactersOf(0b101)), labels.of(setOf([[100, 2_000]]))];
  expect(labels.classesOf(label)).toEqual(labels.classes.filter((each) => labels.fits(label, each)));
  expect(labels.classesOf(label)).toHaveLength(2);
  expect(labels.classesOf(wide)).toHaveLength(1);
  expect(labels.classesOf(labels.everything)).toEqual(labels.classes);
});

test("a pattern whose classes have too many intersections is too large after less than 200,000 steps", () => {
  let next = 0x4e00;
  const different = () =>
    `[^${Array.from({ length: 30 }, () => String.fromCodePoint((next += 2))).join("")}]`;
  const loop = () => `(?:${Array.from({ length: 96 }, different).join("")})*`;
  const node = parseRegex(`${loop()}${loop()}$`, "u");
  if (node === undefined) throw new Error("not a pattern");
  const { parts, taken } = worstCase(node);
  expect(parts).toEqual([[{ kind: "unknown", reason: "it is too large" }]]);
  expect(taken).toBeLessThan(200_000);
});
