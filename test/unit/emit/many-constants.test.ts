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
  ["numbered", (scope, index) => void scope.numbered("text", new Code(`"${index}"`))],
  ["of one name", (scope, index) => void scope.constant("body", new Code(`"${index}"`))],
])(
  "the scope finds a free name for each of 4,000 constants in less than four look-ups: %s",
  (_what, make) => {
    for (const count of [1_000, 2_000, 4_000]) expect(lookUps(count, make)).toBeLessThan(4 * count);
  },
);

it("the scope gives names again after they were forgotten", () => {
  const scope = new ModuleScope();
  scope.numbered("text", new Code("0"));
  scope.constant("body", new Code("0"));
  const forget = scope.mark();
  scope.numbered("text", new Code("1"));
  scope.constant("body", new Code("1"));
  forget();
  expect([scope.numbered("text", new Code("2")).text, scope.constant("body", new Code("2")).text]).toEqual([
    "text1",
    "body2",
  ]);
});

it("the scope skips a numbered name that another constant has", () => {
  const scope = new ModuleScope();
  scope.constant("text1", new Code("0"));
  expect([scope.numbered("text", new Code("0")).text, scope.numbered("text", new Code("1")).text]).toEqual([
    "text0",
    "text2",
  ]);
});

it("the scope drops constants and imports without a use, whatever their texts and comments say", () => {
  const scope = new ModuleScope();
  const utf8 = scope.imported("utf8");
  const oneOf = scope.imported("oneOf");
  scope.imported("base64");
  let last = scope.numbered("text", code`${utf8}("é")`);
  for (let i = 0; i < 2_000; i++) last = scope.numbered("text", code`[${last}]`);
  const unused = scope.numbered("values", code`${oneOf}(1)`);
  scope.numbered("values", code`[${unused}]`);
  scope.withoutUnused(code`  // values1 and base64\n  return ${last};`);
  expect(scope.constants).toHaveLength(2_001);
  expect(scope.constants.map(({ name }) => name)).not.toContain("values0");
  expect([...scope.imports.keys()]).toEqual(["utf8"]);
});
