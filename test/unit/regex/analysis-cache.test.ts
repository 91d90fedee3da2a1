import { describe, expect, test } from "vitest";
import {
  AnalysisCache,
  answersOf,
  importAnswers,
  OutOfTimeError,
  within,
} from "../../../compiler/regex/analysis-cache.js";

const busy = (milliseconds: number) => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
  return "made";
};

describe("the analysis cache", () => {
  test("an imported answer of another thread is used and not computed again", () => {
    const there = new AnalysisCache<string>("lengths", 10);
    const notes = answersOf(() => {
      there.get("a", () => "made");
      there.get("a", () => "made again");
      there.get("b", () => "made");
    });
    expect(notes).toEqual([
      { of: "lengths", key: "a", answer: "made" },
      { of: "lengths", key: "b", answer: "made" },
    ]);
    const here = new AnalysisCache<string>("lengths", 10);
    importAnswers(structuredClone(notes));
    expect(here.get("b", () => "not known")).toBe("made");
  });

  test("work that exceeds its time throws OutOfTimeError, and the next run uses the cached answers", () => {
    const answers = new AnalysisCache<string>("slow", 10);
    answers.get("known", () => "made");
    const first = () => answers.get("first", () => busy(20));
    const work = () => [first(), answers.get("known", () => "again"), answers.get("second", () => "made")];
    expect(() => within(10, work)).toThrow(OutOfTimeError);
    expect(within(10, work)).toEqual(["made", "made", "made"]);
  });
});
