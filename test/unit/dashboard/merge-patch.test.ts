import { describe, expect, it } from "vitest";
import { mergePatch } from "../../../runtime/dashboard/api/merge-patch.js";

describe("the patch from one value to another", () => {
  it.each<[string, unknown, unknown, unknown]>([
    ["nothing where nothing differs", { a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 } }, {}],
    [
      "null for a member that is gone",
      { a: 1, b: { c: 2, d: 3 } },
      { b: { c: 2 } },
      { a: null, b: { d: null } },
    ],
    ["a list as a whole", { a: [1, 2] }, { a: [2] }, { a: [2] }],
    [
      "what is new, and what has become an object",
      { a: 1 },
      { a: { b: 1 }, c: "d" },
      { a: { b: 1 }, c: "d" },
    ],
    [
      "members with names of Object's own",
      { a: 1 },
      JSON.parse('{"a":1,"__proto__":{"x":1}}'),
      JSON.parse('{"__proto__":{"x":1}}'),
    ],
  ])("a merge patch has %s", (_name, before, after, patch) => {
    expect(JSON.stringify(mergePatch(before, after))).toBe(JSON.stringify(patch));
  });
});
