import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { inStep } from "../../../runtime/dashboard/editor/commented-yaml.js";

const TEXT = `# the shop
uri: /shop   # old address

upstream:
  # two nodes, since one is not enough
  nodes:
    "a:80": 1
    'b:80': 2   # the larger one
methods: [GET, POST] # no others
`;

describe("YAML with comments that is updated to a value", () => {
  it("an update of YAML retains comments, order and unchanged values", () => {
    const value = { ...parse(TEXT), uri: "/store", methods: ["GET", "POST", "PUT"], name: "shop" };
    value.upstream.nodes["b:80"] = 5;
    delete value.upstream.nodes["a:80"];
    expect(inStep(TEXT, value)).toBe(`# the shop
uri: /store # old address

upstream:
  # two nodes, since one is not enough
  nodes:
    'b:80': 5 # the larger one
methods: [ GET, POST, PUT ] # no others
name: shop
`);
  });

  it("an update of YAML to an equal value returns the same text", () => {
    expect(inStep(TEXT, parse(TEXT))).toBe(TEXT);
  });

  it("an update of YAML returns undefined if a changed value is behind an alias", () => {
    const text = "a: &x { b: 1 }\nc: *x\n";
    expect(inStep(text, { a: { b: 1 }, c: { b: 2 } })).toBeUndefined();
  });

  it("an updated YAML text parses to the new value, for any old and new value", () => {
    const value = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(value, value, (was, is) => {
        const text = inStep(`# kept\n${stringify(was)}`, is as never);
        expect(text).toBeDefined();
        // JSON has no -0, which the update writes.
        const json = (one: unknown): unknown => JSON.parse(JSON.stringify(one));
        expect(json(parse(text ?? "") ?? {})).toEqual(json(is));
      }),
    );
  });
});
