import { describe, expect, it } from "vitest";
import { merged, replacedAt } from "../../../runtime/control/admin/write-body.js";

describe("PATCH with an object", () => {
  it.each([
    ["merges objects key by key", { a: { x: 1, y: 2 } }, { a: { y: 3 } }, { a: { x: 1, y: 3 } }],
    ["replaces arrays whole", { uris: ["/a", "/b"] }, { uris: ["/c"] }, { uris: ["/c"] }],
    ["replaces a scalar by an object", { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
    ["removes what is null", { a: 1, b: 2 }, { a: null }, { b: 2 }],
    ["removes inside objects", { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    ["keeps no null in an object it adds", {}, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ])("a PATCH with an object %s", (_name, base, patch, result) => {
    expect(merged(base, patch)).toEqual(result);
  });

  it("a PATCH with an object changes neither the base nor the patch", () => {
    const base = { a: { b: 1, c: 1 }, d: 1 };
    const patch = { a: { b: 2, c: null }, d: { e: null } };
    merged(base, patch);
    expect(base).toEqual({ a: { b: 1, c: 1 }, d: 1 });
    expect(patch).toEqual({ a: { b: 2, c: null }, d: { e: null } });
  });

  it("a PATCH with an object changes no prototype and keeps names such as __proto__ as plain ones", () => {
    const text =
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":{"a":1}}';
    const patch = JSON.parse(text) as Record<string, unknown>;
    const result = merged({ labels: {} }, { ...patch, labels: patch });
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(JSON.stringify(result)).toBe(
      '{"labels":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":{"a":1}},' +
        '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":{"a":1}}',
    );
  });
});

describe("PATCH of a sub-path", () => {
  it.each([
    [
      "replaces an attribute whole",
      { up: { nodes: { a: 1 } } },
      ["up", "nodes"],
      { b: 2 },
      { up: { nodes: { b: 2 } } },
    ],
    ["makes missing parents", {}, ["up", "nodes"], [1], { up: { nodes: [1] } }],
    [
      "takes names of Object's own for plain ones",
      {},
      ["labels", "constructor"],
      "x",
      { labels: { constructor: "x" } },
    ],
    ["makes a parent of such a name", {}, ["toString", "a"], 1, { toString: { a: 1 } }],
    ["removes the attribute with null", { up: { a: 1, b: 2 } }, ["up", "a"], null, { up: { b: 2 } }],
  ])("a PATCH of a sub-path %s", (_name, base, path, value, result) => {
    expect(replacedAt(base, path, value)).toEqual({ value: result });
  });

  it.each([
    ["a scalar", { uri: "/x" }, ["uri", "a"], "/uri"],
    ["an array", { uris: ["/x"] }, ["uris", "0", "a"], "/uris"],
    ["the prototype", {}, ["__proto__", "polluted"], "/__proto__"],
  ])("a PATCH of a sub-path names an invalid parent: %s", (_name, base, path, invalid) => {
    expect(replacedAt(base, path, 1)).toEqual({ invalid });
  });
});
