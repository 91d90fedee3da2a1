import { describe, expect, it } from "vitest";
import { parseSource } from "../../../compiler/1-parse/parse.js";
import { composeYaml } from "../../../compiler/1-parse/yaml-document.js";

const FORMS = [
  ...[
    "a: [\n",
    "- [\n",
    "a: {\n",
    '- {a: "\n',
    'a: "\n',
    "\ta: 1\n",
    "]\n",
    "*x\n",
    "- !x a\n",
    "%X\n",
    "\ta: 1\n",
  ],
  ...["- a\nb: 1\n", "? |x\n", "&a &b c\n", "a: 'b' c\n"],
];
const told = (text: string) => parseSource({ name: "a.yaml", text, format: "yaml" }).diagnostics;

describe("faults of a YAML text", () => {
  it.each(FORMS)(
    "a text of 20,000 times %j has at most 1,000 faults and the same diagnostics as one of 200 times",
    (form) => {
      const composed = composeYaml(form.repeat(20_000));
      if (!("faults" in composed)) throw new Error("the text has no faults");
      expect(composed.faults.length).toBeLessThanOrEqual(1_000);
      expect(told(form.repeat(20_000))).toEqual(told(form.repeat(200)));
    },
  );

  it("the composition of a text with unclosed brackets ends after 1,000 items", () => {
    const composed = composeYaml("a: [\n".repeat(20_000));
    const read = "faults" in composed ? composed.documents.map(({ value }) => value) : [];
    expect(read.map((value) => value && "items" in value && value.items.length)).toEqual([1_000]);
  });

  it("the faults of every document of a text are counted, and GW1004 for a second document comes first", () => {
    const text = `a: 1\n---\n${"\ta: 1\n".repeat(20_000)}`;
    const composed = composeYaml(text);
    expect("faults" in composed && composed.faults.length).toBe(1_001);
    expect(told(text)[0]?.code).toBe("GW1004");
  });
});
