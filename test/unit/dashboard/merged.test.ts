import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { merged } from "../../../runtime/dashboard/editor/merged.js";

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

describe("two changes of one resource", () => {
  it("are both kept where each is of another member, also below plugins", () => {
    const theirs = { ...BASE, name: "theirs", plugins: { syslog: { host: "b", port: 514 } } };
    const mine = { ...BASE, uri: "/b", plugins: { syslog: { host: "a", port: 515 } } };
    expect(merged(BASE, theirs, mine)).toEqual({
      value: { ...BASE, name: "theirs", uri: "/b", plugins: { syslog: { host: "b", port: 515 } } },
      both: [],
    });
  });

  it("name what both have changed, and mine stands there", () => {
    const theirs = { ...BASE, methods: ["GET", "PUT"], plugins: { syslog: { host: "b", port: 514 } } };
    const mine = { ...BASE, methods: ["POST"], plugins: {} };
    const { value: made, both } = merged(BASE, theirs, mine);
    expect(both).toEqual(["methods", "plugins.syslog"]);
    expect(made).toEqual({ ...BASE, methods: ["POST"], plugins: {} });
  });

  it("keep what one has taken out or added, and what both did alike", () => {
    const { name: _, ...without } = BASE;
    const theirs = { ...without, labels: { team: "a" } };
    const mine = { ...BASE, status: 0, labels: { team: "a" } };
    expect(merged(BASE, theirs, mine)).toEqual({
      value: { ...without, labels: { team: "a" }, status: 0 },
      both: [],
    });
  });

  it("take members with the names of those of every object as any others", () => {
    const named = JSON.parse('{"constructor":"1","toString":"2","__proto__":"3","a":"4"}') as object;
    const made = (theirs: object, mine: object) =>
      merged({ ...BASE, labels: named }, { ...BASE, labels: theirs }, { ...BASE, labels: mine });
    for (const one of [made({ a: "4" }, named), made(named, { a: "4" }), made({ a: "4" }, { a: "4" })])
      expect(JSON.parse(JSON.stringify(one))).toEqual({ value: { ...BASE, labels: { a: "4" } }, both: [] });
    expect(Object.keys(made({ a: "4" }, named).value["labels"] as object)).toEqual(["a"]);
  });

  it("become what the other made, where only one changed anything", () => {
    fc.assert(
      fc.property(value, value, (before, after) => {
        expect(merged(before, after, before)).toEqual({ value: after, both: [] });
        expect(merged(before, before, after)).toEqual({ value: after, both: [] });
        expect(merged(before, after, after)).toEqual({ value: after, both: [] });
      }),
    );
  });

  it("are one and the same from either side, where none is lost", () => {
    fc.assert(
      fc.property(value, value, value, (before, one, other) => {
        const there = merged(before, one, other);
        const back = merged(before, other, one);
        expect(there.both.sort()).toEqual(back.both.sort());
        if (there.both.length === 0) expect(there.value).toEqual(back.value);
      }),
    );
  });
});
