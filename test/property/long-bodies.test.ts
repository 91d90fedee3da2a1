import fc from "fast-check";
import { expect, it } from "vitest";
import { recordText } from "../../runtime/abi/text/record-text.js";
import { runToCompletion } from "../../runtime/http/time-slice.js";
import { bodyFields } from "../../runtime/logging/body-text.js";
import { Placeholders } from "../../runtime/logging/placeholders.js";
import { redactText } from "../../runtime/logging/redact-text.js";
import { runs } from "../support/runs.js";

const NAMES = ["x-key", "key", "api_key"];
const VALUES = ["secret", "key=s"];
const piece = fc.constantFrom(
  ...NAMES.flatMap((name) => [`"${name}":`, `\\"${name}\\":`, `&${name}=`, `\n${name}:`, `name="${name}"`]),
  ...VALUES,
  "secretsecret",
  '"',
  '\\"',
  "\\",
  "abc",
  "[1,",
  "]",
  " ",
  "\r\n\r\n",
  "\r\n--",
  "&",
  ",",
);

it("redaction masks the same in slices of any size", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.integer({ min: 1, max: 40 }), (pieces, slice) => {
      const text = pieces.join("");
      const whole = runToCompletion(redactText(text, NAMES, VALUES, Number.POSITIVE_INFINITY));
      expect(runToCompletion(redactText(text, NAMES, VALUES, slice))).toBe(whole);
    }),
    { numRuns: runs(5_000) },
  );
});

const bytes = fc.constantFrom(
  "a",
  '"',
  "\\",
  "\n",
  "\x80",
  "\xc3",
  "\xc3\xa4",
  "\xe2\x82",
  "\xf0\x9f\x98\x80",
);

it("a record of a body in slices equals the record of the body at once", () => {
  fc.assert(
    fc.property(
      fc.array(bytes, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 2, max: 12 }),
      fc.boolean(),
      (parts, slice, truncated) => {
        const body = { text: parts.join(""), coding: "", truncated, size: 100 };
        const placeholders = new Placeholders(3 * slice);
        const long = placeholders.of(body);
        const made = runToCompletion(
          placeholders.filled(`[${recordText({ long: long.text })},{${bodyFields(long)}}]`),
        );
        expect(made).toBe(`[${recordText({ long: body.text })},{${bodyFields(body)}}]`);
      },
    ),
    { numRuns: runs(5_000) },
  );
});
