import { expect, it, vi } from "vitest";
import { ModuleScope } from "../../../compiler/5-emit/scope.js";
import { Code, code } from "../../../compiler/plugin/code.js";

/** Returns the look-ups of names while `count` constants of one base get theirs. */
function lookUps(count: number, make: (scope: ModuleScope, index: number) => void): number {
  const scope = new ModuleScope();
  const has = vi.spyOn(Set.prototype, "has");
  try {
    for (let i = 0; i < count; i++) make(scope, i);
    return has.mock.calls.length;
  } finally {
    has.mockRestore();
  }
}

it.each<[string, (scope: ModuleScope, index: number) => void]>([
  ["of texts", (scope, index) => void scope.bytes(`\xe9${index}`)],
  ["of one name", (scope, index) => void scope.constant("body", new Code(`"${index}"`))],
])(
  "the scope finds a free name for each of 4,000 constants in less than four look-ups: %s",
  (_what, make) => {
    for (const count of [1_000, 2_000, 4_000]) expect(lookUps(count, make)).toBeLessThan(4 * count);
  },
);

it("the scope gives names again after they were forgotten", () => {
  const scope = new ModuleScope();
  scope.bytes("\xe90");
  scope.constant("body", new Code("0"));
  const forget = scope.mark();
  scope.bytes("\xe91");
  scope.constant("body", new Code("1"));
  forget();
  expect([scope.bytes("\xe92").text, scope.constant("body", new Code("2")).text]).toEqual([
    "nonAsciiText2",
    "body2",
  ]);
});

it("the scope skips a numbered name that another constant has", () => {
  const scope = new ModuleScope();
  scope.constant("body2", new Code("0"));
  const names = ["0", "1", "2"].map((value) => scope.constant("body", new Code(value)).text);
  expect(names).toEqual(["body", "body3", "body4"]);
});

it("the scope drops constants and imports without a use, whatever their texts and comments say", () => {
  const scope = new ModuleScope();
  const utf8 = scope.imported("utf8");
  const oneOf = scope.imported("oneOf");
  scope.imported("base64");
  let last = scope.constant("word", code`${utf8}("é")`);
  for (let i = 0; i < 2_000; i++) last = scope.constant("word", code`[${last}]`);
  const unused = scope.constant("values", code`${oneOf}(1)`);
  scope.constant("values", code`[${unused}]`);
  scope.withoutUnused(code`  // values2 and base64\n  return ${last};`);
  expect(scope.constants).toHaveLength(2_001);
  expect(scope.constants.map(({ name }) => name)).not.toContain("values");
  expect([...scope.imports.keys()]).toEqual(["utf8"]);
});
