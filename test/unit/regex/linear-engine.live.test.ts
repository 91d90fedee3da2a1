import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { runsInLinearEngine } from "../../../compiler/regex/linear-engine.js";
import { translateRegex } from "../../../compiler/regex/translate.js";
import { readTopic, topics } from "../regex/corpus.js";

// V8 says itself what its linear engine can run: the flag `l` refuses the rest.
const PROBE = `
  const regexes = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  const runs = ({ source, flags, subject }) => {
    try { return new RegExp(source, flags + "l").exec(subject) } catch { return false }
  };
  console.log(JSON.stringify(regexes.map(runs)));
`;

const corpus = topics()
  .flatMap(readTopic)
  .flatMap(({ pattern, options, subject }) => {
    const translation = translateRegex(pattern, options);
    return translation.ok ? [{ pattern, translation, subject }] : [];
  });

function answersOfV8(): (false | null | string[])[] {
  const input = corpus.map(({ translation: { source, flags }, subject }) => ({ source, flags, subject }));
  const output = execFileSync(process.execPath, ["--enable-experimental-regexp-engine", "-e", PROBE], {
    input: JSON.stringify(input),
  });
  return JSON.parse(output.toString()) as (false | null | string[])[];
}

test("no pattern is said to run in the linear engine that V8 refuses there", () => {
  const answers = answersOfV8();
  const wrong = corpus.filter(
    ({ translation }, i) => runsInLinearEngine(translation) && answers[i] === false,
  );
  expect(wrong.map(({ pattern }) => pattern)).toEqual([]);
});

test("the linear engine finds what the backtracking engine finds", () => {
  const answers = answersOfV8();
  const different = corpus.flatMap(({ translation: { source, flags }, subject, pattern }, i) => {
    if (answers[i] === false) return [];
    const found = new RegExp(source, flags).exec(subject);
    return JSON.stringify(found) === JSON.stringify(answers[i])
      ? []
      : [{ pattern, subject, found, linear: answers[i] }];
  });
  expect(different).toEqual([]);
});
