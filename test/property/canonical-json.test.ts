import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../runtime/abi/hash.js";
import { runs } from "../support/runs.js";

const name = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "toString", "length", "10", "9", "name", "Name", "ä", ""),
  fc.string(),
);

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, undefined, true, 0, 1.5, "", 'a "b"\n', "\ud800"),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 5 }).map(Object.fromEntries),
  ),
}));

/** The same value with all fields in reverse order. */
function reversed(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(reversed);
  if (typeof given !== "object" || given === null) return given;
  return Object.fromEntries(
    Object.entries(given)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe("canonical JSON", () => {
  it("canonical JSON has the same content as JSON, whatever the names of fields", () => {
    fc.assert(
      fc.property(value, (given) => {
        // vitest's equality takes a field named "constructor" for the type.
        const [said, meant] = [canonicalJson(given), JSON.stringify(given ?? null)];
        expect(isDeepStrictEqual(JSON.parse(said), JSON.parse(meant)), said).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  it("canonical JSON does not depend on the order of fields, and does not change its input", () => {
    fc.assert(
      fc.property(value, (given) => {
        const before = JSON.stringify(given);
        expect(canonicalJson(reversed(given))).toBe(canonicalJson(given));
        expect(JSON.stringify(given)).toBe(before);
      }),
      { numRuns: runs(500) },
    );
  });

  it("canonical JSON keeps a field named __proto__ everywhere", () => {
    const given: unknown = JSON.parse('{"a":{"__proto__":{"z":1,"y":2}},"Z":{"b":1,"__proto__":3}}');
    expect(canonicalJson(given)).toBe('{"Z":{"__proto__":3,"b":1},"a":{"__proto__":{"y":2,"z":1}}}');
  });
});
