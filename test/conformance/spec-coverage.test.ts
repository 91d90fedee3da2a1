import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { caseNames, FOLDER, readCase } from "./runner/case.js";

interface Sentence {
  id: string;
  text: string;
  untestable?: string;
  covered_by?: string;
}

const { sentences } = parse(readFileSync(join(FOLDER, "spec-rewriting.yaml"), "utf8")) as {
  sentences: Sentence[];
};
const cases = caseNames().map((name) => readCase(name, 1980));
const quoted = new Map<string, string[]>();
for (const { name, because } of cases) {
  for (const id of Object.keys(because)) quoted.set(id, [...(quoted.get(id) ?? []), name]);
}

describe("the specification of rewriting", () => {
  it.each(sentences)("$id is shown by a case: $text", ({ id, untestable, covered_by: elsewhere }) => {
    if (untestable !== undefined) return;
    if (elsewhere !== undefined) expect(existsSync(join(FOLDER, "../..", elsewhere)), elsewhere).toBe(true);
    else expect(quoted.get(id) ?? [], "cases that quote the sentence").not.toEqual([]);
  });

  it("has each id once", () => {
    const ids = sentences.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it.each(cases.filter(({ because }) => Object.keys(because).length > 0))(
    "is quoted to the letter in $name",
    ({ because }) => {
      for (const [id, text] of Object.entries(because)) {
        expect(text, id).toBe(sentences.find((sentence) => sentence.id === id)?.text);
      }
    },
  );
});
