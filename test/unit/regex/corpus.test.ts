import { describe, expect, test } from "vitest";
import { translateReplacement } from "../../../compiler/regex/diagnose.js";
import { translateRegex } from "../../../compiler/regex/translate.js";
import type { CorpusCase, Expected } from "../../tools/pcre2-corpus.js";
import { readTopic, topics } from "./corpus.js";

// Expectations come from pcre2test (corpus.live.test.ts); only our translation runs here.
describe.each(topics())("PCRE corpus, %s", (topic) => {
  test.each(readTopic(topic).map((each) => [title(each), each] as const))(
    "the translation of %s has PCRE2's result",
    (_, each) => {
      const translation = translateRegex(
        each.pattern,
        each.options,
        each.scope === undefined ? {} : { scope: each.scope },
      );
      if (each.refused !== undefined) {
        expect(translation).toMatchObject({
          ok: false,
          untranslatable: true,
          reason: expect.stringContaining(each.refused),
        });
        return;
      }
      const { expected } = each;
      if (expected !== undefined && "error" in expected) {
        const { error: reason, offset } = expected;
        expect(translation).toEqual({ ok: false, in: "pattern", untranslatable: false, reason, offset });
        return;
      }
      expect(translation).toMatchObject({ ok: true });
      if (translation.ok)
        expect(outcome(each, translation.source, translation.flags, translation.groups)).toEqual(
          padded(expected, translation.groups),
        );
    },
  );
});

test("the corpus has at least 300 cases", () => {
  expect(topics().flatMap(readTopic).length).toBeGreaterThanOrEqual(300);
});

function title({ pattern, options, subject, scope }: CorpusCase): string {
  return JSON.stringify([pattern, options, subject, scope ?? "once"]);
}

function outcome(each: CorpusCase, source: string, flags: string, groups: number): unknown {
  const pattern = new RegExp(source, flags);
  const match = pattern.exec(each.subject);
  const replaced =
    each.replace === undefined ? {} : { replaced: replace(each, each.replace, { source, flags, groups }) };
  if (match === null) return { at: null, ...replaced };
  return {
    at: match.index,
    texts: Array.from({ length: groups + 1 }, (_, i) => match[i] ?? ""),
    ...replaced,
  };
}

function replace(
  each: CorpusCase,
  text: string,
  regex: { source: string; flags: string; groups: number },
): string {
  const read = translateReplacement(text, regex.groups);
  if (!read.ok) throw new Error(read.reason);
  const pattern = new RegExp(regex.source, regex.flags + (each.scope === "global" ? "g" : ""));
  return each.subject.replace(pattern, (...found: unknown[]) =>
    read.parts.map((part) => ("literal" in part ? part.literal : (found[part.capture] ?? ""))).join(""),
  );
}

/** Fills in the empty text for groups that are not set, as a replacement does. */
function padded(expected: Expected | undefined, groups: number): unknown {
  if (expected === undefined || !("texts" in expected)) return expected;
  return { ...expected, texts: Array.from({ length: groups + 1 }, (_, i) => expected.texts[i] ?? "") };
}
