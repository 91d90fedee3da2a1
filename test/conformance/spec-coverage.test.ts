import { existsSync, readdirSync, readFileSync } from "node:fs";
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

const TESTS = join(FOLDER, "..");
const sentencesOf = (specification: string) =>
  (parse(readFileSync(join(FOLDER, specification), "utf8")) as { sentences: Sentence[] }).sentences;
const rewriting = sentencesOf("spec-rewriting.yaml");
const logging = sentencesOf("spec-logging.yaml");

const cases = caseNames().map((name) => readCase(name, 1980));
const quoted = new Map<string, string[]>();
for (const { name, because } of cases) {
  for (const id of Object.keys(because)) quoted.set(id, [...(quoted.get(id) ?? []), name]);
}

/** Test files by the ids in brackets that they contain. */
const naming = new Map<string, string[]>();
for (const entry of readdirSync(TESTS, { recursive: true, encoding: "utf8" })) {
  if (!entry.endsWith(".test.ts") || entry.endsWith("spec-coverage.test.ts")) continue;
  for (const [, id = ""] of readFileSync(join(TESTS, entry), "utf8").matchAll(/\[(log\.[^\s"'`]+?)\](?!\.)/g))
    naming.set(id, [...(naming.get(id) ?? []), entry]);
}

describe("the specification of rewriting", () => {
  it.each(rewriting)(
    "the sentence $id is quoted by a case: $text",
    ({ id, untestable, covered_by: elsewhere }) => {
      if (untestable !== undefined) return;
      if (elsewhere !== undefined) expect(existsSync(join(TESTS, "..", elsewhere)), elsewhere).toBe(true);
      else expect(quoted.get(id) ?? [], "cases that quote the sentence").not.toEqual([]);
    },
  );
});

describe("the specification of log shipping", () => {
  it.each(logging)("the sentence $id is quoted by a case or named by a test: $text", ({ id, untestable }) => {
    if (untestable !== undefined) return;
    const shown = [...(quoted.get(id) ?? []), ...(naming.get(id) ?? [])];
    expect(shown, "cases that quote the sentence and tests that name it").not.toEqual([]);
  });

  it("the tests name only ids of sentences that exist", () => {
    const ids = logging.map(({ id }) => id);
    expect([...naming.keys()].filter((id) => !ids.includes(id))).toEqual([]);
  });
});

describe("the sentences", () => {
  const all = [...rewriting, ...logging];

  it("the sentences of the specifications have different ids", () => {
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it.each(cases.filter(({ because }) => Object.keys(because).length > 0))(
    "the case $name quotes its sentences to the letter",
    ({ because }) => {
      for (const [id, text] of Object.entries(because)) {
        expect(text, id).toBe(all.find((sentence) => sentence.id === id)?.text);
      }
    },
  );
});
