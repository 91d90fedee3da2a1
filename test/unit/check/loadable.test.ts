import { expect, it } from "vitest";
import { unloadable } from "../../../compiler/6-check/loadable.js";

it("GW5004 reports modules that V8 cannot compile, with its message, and runs no module", () => {
  const modules = [
    { file: "routes/fine", code: 'throw new Error("run")' },
    { file: "routes/pattern", code: "const p = /(/;" },
    { file: "routes/deep", code: `${"(".repeat(200_000)}1${")".repeat(200_000)}` },
  ];
  const found = unloadable(modules);
  expect(found.map(({ code }) => code)).toEqual(["GW5004", "GW5004"]);
  expect(found[0]?.message).toMatch(/^routes\/pattern: SyntaxError: Invalid regular expression/);
  expect(found[1]?.message).toMatch(/^routes\/deep: RangeError/);
});
