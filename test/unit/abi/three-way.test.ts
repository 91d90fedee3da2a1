import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fieldAt, threeWay } from "../../../runtime/abi/three-way.js";

const BASE = { uri: "/a", name: "old", plugins: { syslog: { host: "a", port: 514 } }, methods: ["GET"] };
const leaf = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.boolean(), { maxLength: 2 }),
);
const value = fc.dictionary(
  fc.constantFrom("a", "b", "c"),
  fc.oneof(leaf, fc.dictionary(fc.constantFrom("x", "y"), leaf)),
);

const names = ({ both }: ReturnType<typeof threeWay>) => both.map((path) => path.join(".")).sort();

describe("two changes of one resource", () => {
  it("threeWay merges two changes of different members, also below plugins", () => {
    const theirs = { ...BASE, name: "theirs", plugins: { syslog: { host: "b", port: 514 } } };
    const mine = { ...BASE, uri: "/b", plugins: { syslog: { host: "a", port: 515 } } };
    expect(threeWay(BASE, theirs, mine)).toEqual({
      value: { ...BASE, name: "theirs", uri: "/b", plugins: { syslog: { host: "b", port: 515 } } },
      both: [],
    });
  });

  it("threeWay lists members that both have changed and takes mine there", () => {
    const theirs = { ...BASE, methods: ["GET", "PUT"], plugins: { syslog: { host: "b", port: 514 } } };
    const mine = { ...BASE, methods: ["POST"], plugins: {} };
    const { value: made, both } = threeWay(BASE, theirs, mine);
    expect(both).toEqual([["plugins", "syslog"], ["methods"]]);
    expect(made).toEqual({ ...BASE, methods: ["POST"], plugins: {} });
  });

  it("threeWay merges removals, additions and equal changes without a conflict", () => {
    const { name: _, ...without } = BASE;
    const theirs = { ...without, labels: { team: "a" } };
    const mine = { ...BASE, status: 0, labels: { team: "a" } };
    expect(threeWay(BASE, theirs, mine)).toEqual({
      value: { ...without, labels: { team: "a" }, status: 0 },
      both: [],
    });
  });

  it("threeWay merges members called constructor, toString and __proto__ like others", () => {
    const named = JSON.parse('{"constructor":"1","toString":"2","__proto__":"3","a":"4"}') as object;
    const made = (theirs: object, mine: object) =>
      threeWay({ ...BASE, labels: named }, { ...BASE, labels: theirs }, { ...BASE, labels: mine });
    for (const one of [made({ a: "4" }, named), made(named, { a: "4" }), made({ a: "4" }, { a: "4" })])
      expect(JSON.parse(JSON.stringify(one))).toEqual({ value: { ...BASE, labels: { a: "4" } }, both: [] });
    expect(Object.keys(made({ a: "4" }, named).value["labels"] as object)).toEqual(["a"]);
  });

  it("threeWay sees a change between a list and an object, also if empty or of equal pairs", () => {
    for (const [list, object] of [
      [[], {}],
      [[["a", 1]], { a: 1 }],
    ] as const) {
      expect(threeWay({ nodes: list }, { nodes: object }, { nodes: list }).value).toEqual({ nodes: object });
      expect(threeWay({ nodes: object }, { nodes: object }, { nodes: list }).value).toEqual({ nodes: list });
    }
  });

  it("threeWay ignores the order of members", () => {
    const [one, other] = [{ a: { x: 1, y: [{ p: 1, q: 2 }] } }, { a: { y: [{ q: 2, p: 1 }], x: 1 } }];
    expect(threeWay(one, other, { a: 5 })).toEqual({ value: { a: 5 }, both: [] });
  });

  it("threeWay returns the change if only one side changed or both changed equally", () => {
    fc.assert(
      fc.property(value, value, (before, after) => {
        expect(threeWay(before, after, before)).toEqual({ value: after, both: [] });
        expect(threeWay(before, before, after)).toEqual({ value: after, both: [] });
        expect(threeWay(before, after, after)).toEqual({ value: after, both: [] });
      }),
    );
  });

  it("threeWay finds the same conflicts with sides swapped, and the same value without conflicts", () => {
    fc.assert(
      fc.property(value, value, value, (before, one, other) => {
        const there = threeWay(before, one, other);
        const back = threeWay(before, other, one);
        expect(names(there)).toEqual(names(back));
        if (there.both.length === 0) expect(there.value).toEqual(back.value);
      }),
    );
  });
});

describe("the value at a path", () => {
  it("fieldAt returns null for inherited or missing members and for items of a list", () => {
    expect(fieldAt(BASE, ["plugins", "syslog", "port"])).toBe(514);
    for (const path of [
      ["plugins", "constructor"],
      ["methods", "0"],
      ["uri", "length"],
      ["none", "of", "it"],
    ])
      expect(fieldAt(BASE, path)).toBeNull();
    expect(fieldAt(null, [])).toBeNull();
  });
});
