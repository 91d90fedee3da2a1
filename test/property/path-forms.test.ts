import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isPlainPath,
  matchedForm,
  normalBuiltPath,
  normalPath,
  otherReadings,
  PathFault,
  type PathRules,
} from "../../runtime/abi/path.js";
import { escapedPathText, escapedQueryText, pathText } from "../../runtime/abi/text/target.js";
import { comparedForm, normalForm, pathReadings } from "../oracle/path.js";
import { runs } from "../support/runs.js";

// Forms of paths, compared with the oracle's and with their own guarantees.

const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("/", "..", ".", "a", "pub", "private", ";", "\\") },
  fc.constantFrom("%2e", "%2E", "%2f", "%2F", "%5c", "%5C", "%25", "%252e", "%252f", "%25252e", "%3b", "%00"),
  fc.constantFrom("%41", "%7e", "%c3%a9", "%2A", "%3a", "%20", "//", "%", "%z1", "|", "*", ":", "@", "^"),
);
const path = fc.array(piece, { maxLength: 12 }).map((parts) => `/${parts.join("")}`);
const rules = fc.record<PathRules>({
  escapedSlashes: fc.constantFrom("keep", "refuse", "decode"),
  mergeSlashes: fc.boolean(),
});
const RUNS = { numRuns: runs(20_000) };
const orRefused = (form: string | PathFault) => (form instanceof PathFault ? undefined : form);

/** The path as an upstream reads it that decodes once. */
const decoded = (text: string) =>
  text.replace(/%([0-9A-F]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

describe("normalized paths", () => {
  it("a normalized path equals the oracle's", () => {
    fc.assert(
      fc.property(path, rules, (received, given) => {
        expect(orRefused(normalPath(received, given))).toBe(normalForm(received, given));
        expect(orRefused(normalBuiltPath(received, given))).toBe(normalForm(received, given, true));
      }),
      RUNS,
    );
  });

  it("normalization does not change a normalized path", () => {
    fc.assert(
      fc.property(path, rules, (received, given) => {
        const form = normalPath(received, given);
        if (form instanceof PathFault) return;
        expect(normalPath(form, given)).toBe(form);
        expect(normalBuiltPath(form, given)).toBe(form);
      }),
      RUNS,
    );
  });

  it("normalization does not change a plain path", () => {
    fc.assert(
      fc.property(path, rules, (received, given) => {
        if (!isPlainPath(received)) return;
        expect(normalPath(received, given)).toBe(received);
        expect(matchedForm(received)).toBe(received);
      }),
      RUNS,
    );
  });

  it("a normalized path has no dot segment, however an upstream reads it", () => {
    fc.assert(
      fc.property(path, rules, (received, given) => {
        const form = normalPath(received, given);
        if (form instanceof PathFault) return;
        for (const reading of [form, decoded(form), decoded(decoded(form))])
          for (const segment of reading.split(/[/\\]/))
            expect(segment.split(";")[0]).not.toMatch(/^\.{1,2}$/);
      }),
      RUNS,
    );
  });
});

describe("the other readings of a path", () => {
  it("the other readings of a path equal the oracle's, and a plain path has none", () => {
    fc.assert(
      fc.property(path, rules, (received, given) => {
        const form = normalPath(received, given);
        if (form instanceof PathFault) return;
        const readings = otherReadings(form, given);
        const foreseen = new Set(pathReadings(form, given));
        foreseen.delete(form);
        expect([...readings].sort()).toEqual([...foreseen].sort());
        if (isPlainPath(received)) expect(readings).toEqual([]);
      }),
      RUNS,
    );
  });

  it("the other readings of a path have no dot segments", () => {
    fc.assert(
      fc.property(path, rules, (received, given) => {
        const form = normalPath(received, given);
        if (form instanceof PathFault) return;
        for (const reading of otherReadings(form, given))
          expect(normalPath(reading, { escapedSlashes: "keep", mergeSlashes: false })).toBe(reading);
      }),
      RUNS,
    );
  });
});

describe("the form that routes compare", () => {
  it("the compared form of a path equals the oracle's, and decodes to the same text as the sent path", () => {
    fc.assert(
      fc.property(path, rules, (received, given) => {
        const form = normalPath(received, given);
        if (form instanceof PathFault) return;
        expect(matchedForm(form)).toBe(comparedForm(form));
        expect(matchedForm(matchedForm(form))).toBe(matchedForm(form));
        expect(decoded(matchedForm(form))).toBe(decoded(form));
      }),
      RUNS,
    );
  });

  it("two paths that decode to the same text have one compared form, unless a slash is escaped in one", () => {
    fc.assert(
      fc.property(path, (received) => {
        const form = normalPath(received, { escapedSlashes: "keep", mergeSlashes: false });
        if (form instanceof PathFault || /%2f/i.test(form)) return;
        // All characters escaped except slashes.
        const spelled = decoded(form).replace(
          /[^/]/g,
          (c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`,
        );
        const again = normalPath(spelled, { escapedSlashes: "keep", mergeSlashes: false });
        expect(again).not.toBeInstanceOf(PathFault);
        expect(matchedForm(again as string)).toBe(matchedForm(form));
      }),
      RUNS,
    );
  });
});

describe("a value in a target", () => {
  const bytes = fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)), maxLength: 20 });

  it("a value in a target decodes to itself, and a part of a path to its original", () => {
    fc.assert(
      fc.property(bytes, (value) => {
        expect(decoded(pathText(value))).toBe(value);
        const part = pathText(value);
        expect(decoded(escapedPathText(part))).toBe(value);
        expect(decoded(escapedQueryText(part))).toBe(value);
        expect(escapedQueryText(part)).not.toMatch(/[&=+;?#\s]/);
      }),
      RUNS,
    );
  });
});
