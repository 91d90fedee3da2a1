import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  encodeDeltaLines,
  type Item,
  MIN_DELTA_ITEMS,
  readLines,
} from "../../../compiler/7-build/delta-encode.js";
import { decodeDeltaItems } from "../../../runtime/abi/delta-decode.js";

interface Route {
  id: string;
}

const itemsOf = (routes: readonly Route[]): Item[] =>
  routes.map((route) => ({ name: route.id, json: JSON.stringify(route) }));
const routeOf = (id: string, more: object = {}) => ({
  ...{ origin: `routes/${id}`, uris: [`/v1/${id}/*`], methods: ["GET"], priority: 0 },
  ...more,
  id,
});
const many = (count = 400) => Array.from({ length: count }, (_, i) => routeOf(`route-${i}`));
const read = (lines: readonly string[]) =>
  decodeDeltaItems<Route>(
    lines.map((line): unknown => JSON.parse(line)),
    ({ id }) => id,
  );
/** Adds enough other routes that the list is written as deltas. */
const among = (routes: readonly Route[]) => [...routes, ...many(MIN_DELTA_ITEMS)];

describe("a long list of similar items", () => {
  it("a list of similar items is written as one whole item and short deltas", () => {
    const lines = encodeDeltaLines(itemsOf(many()));
    expect(lines.filter((line) => line.startsWith("{"))).toHaveLength(1);
    expect(Math.max(...lines.slice(0, 9).map((line) => line.length))).toBeLessThan(100);
    expect(read(lines)).toEqual(many());
  });

  it("a list below MIN_DELTA_ITEMS is written without deltas", () => {
    const items = itemsOf(many(MIN_DELTA_ITEMS - 1));
    expect(encodeDeltaLines(items)).toEqual(items.map(({ json }) => json));
  });

  it("a change or removal of an item that is no base of a delta changes no other line", () => {
    const before = encodeDeltaLines(itemsOf(many()));
    const model = before.findIndex((line) => line.startsWith("{"));
    const at = model === 7 ? 8 : 7;
    const changed = many().map((route, i) => (i === at ? { ...route, uris: ["/other"] } : route));
    const after = encodeDeltaLines(itemsOf(changed));
    expect(after.filter((line, i) => line !== before[i])).toHaveLength(1);
    const without = encodeDeltaLines(itemsOf(many().filter((_, i) => i !== at)));
    expect(without).toEqual(before.filter((_, i) => i !== at));
  });

  it("arbitrary items are decoded as they were encoded, and encoding them again gives the same lines", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom('"', "\\", '\\"', "id", "GET", "route-1", "", "\u2028", "$&", "[", "10"),
    );
    const route = fc.record({
      id: text,
      uris: fc.array(text),
      methods: fc.array(text),
      rest: fc.dictionary(text, fc.oneof(text, fc.double({ noNaN: true }), fc.boolean(), fc.constant(null))),
    });
    fc.assert(
      fc.property(fc.uniqueArray(route, { selector: ({ id }) => id, maxLength: 8 }), (routes) => {
        const all = among(routes.filter(({ id }) => !id.startsWith("route-")));
        const lines = encodeDeltaLines(itemsOf(all));
        expect(read(lines)).toEqual(JSON.parse(JSON.stringify(all)));
        const names = all.map(({ id }) => id);
        const known = readLines(lines, names, () => true);
        expect(known.map(({ json }) => json)).toEqual(itemsOf(all).map(({ json }) => json));
        expect(encodeDeltaLines(known)).toEqual(lines);
      }),
    );
  });

  it("lines that are reused after additions, removals and changes equal a fresh encoding", () => {
    const routes = fc.uniqueArray(fc.nat({ max: 900 }), { minLength: 300, maxLength: 500 });
    const changed = fc.array(fc.nat({ max: 900 }), { maxLength: 400 });
    fc.assert(
      fc.property(routes, routes, changed, (first, second, others) => {
        const before = first.map((n) => routeOf(`r${n}`, n % 3 === 0 ? { name: "x" } : {}));
        const after = second.map((n) =>
          routeOf(`r${n}`, others.includes(n) ? { uris: ["/o", "/p"] } : n % 3 === 0 ? { name: "x" } : {}),
        );
        const now = new Map(itemsOf(after).map(({ name, json }) => [name, json]));
        const was = new Map(itemsOf(before).map(({ name, json }) => [name, json]));
        const isSame = (name: string) => now.get(name) === was.get(name);
        const names = before.map(({ id }) => id);
        const known = readLines(encodeDeltaLines(itemsOf(before)), names, isSame);
        const kept = new Map(known.map((item) => [item.name, item]));
        const items = itemsOf(after).map((item) =>
          isSame(item.name) ? (kept.get(item.name) ?? item) : item,
        );
        expect(encodeDeltaLines(items)).toEqual(encodeDeltaLines(itemsOf(after)));
      }),
      { numRuns: 30 },
    );
  });

  it("fields with integer names, which JSON.parse puts first, are decoded correctly", () => {
    const fields = (id: string) => JSON.parse(`{"id":"${id}","-":"a","1":"b","x":"${id}"}`) as Route;
    const canonical = (id: string) => `{"-":"a","1":"b","id":"${id}","x":"${id}"}`;
    const ids = Array.from({ length: 300 }, (_, i) => `n${i}`);
    const lines = encodeDeltaLines(ids.map((id) => ({ name: id, json: canonical(id) })));
    expect(read(lines)).toEqual(ids.map(fields));
  });

  it("a delta whose base does not exist is an error", () => {
    expect(() => read(['["gone","a"]', '{"id":"b"}'])).toThrow(/item gone, which is missing/);
  });

  it("two items of different kinds with equal ids are decoded by their names", () => {
    const items = (["routes", "services"] as const).flatMap((kind) =>
      Array.from({ length: 200 }, (_, i) => ({ kind, id: `a${i}`, value: { id: `a${i}` } })),
    );
    const idOf = (name: string) => name.slice(name.indexOf("/") + 1);
    const nameOf = ({ kind, id }: { kind: string; id: string }) => `${kind}/${id}`;
    const lines = encodeDeltaLines(
      items.map((item) => ({ name: nameOf(item), json: JSON.stringify(item) })),
      idOf,
    );
    const parsed = lines.map((line): unknown => JSON.parse(line));
    expect(decodeDeltaItems(parsed, nameOf, idOf)).toEqual(items);
  });
});
