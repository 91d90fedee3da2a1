import { expect, it } from "vitest";
import { withoutLastReturn } from "../../../compiler/5-emit/layout.js";
import { Code, code } from "../../../compiler/plugin/code.js";

const call = new Code('toHttps(x, ")")');

it.each<[string, Code, string]>([
  ["a last return", code`a();\nreturn;`, "a();"],
  ["a return at the end of blocks", code`if (a) {\n  b();\n  return;\n}`, "if (a) {\n  b();\n}"],
])("a phase does not end with %s", (_what, written, expected) => {
  expect(withoutLastReturn(written).text).toBe(expected);
});

it.each<[string, Code]>([
  ["the only statement of a block", code`if (a) {\n  return;\n}`],
  ["a statement without a block", code`if (a)\n  return;`],
  ["behind a test", code`if (await ${call}) return;`],
  ["in front of other statements", code`if (a(x)) return;\nb();`],
  ["a value", code`return ${call};`],
])("a return stays if it is %s", (_what, written) => {
  expect(withoutLastReturn(written).text).toBe(written.text);
});
