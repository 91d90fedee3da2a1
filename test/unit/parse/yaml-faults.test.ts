import { describe, expect, it } from "vitest";
import { parseSource } from "../../../compiler/parse/parse.js";
import { composeYaml } from "../../../compiler/parse/yaml-document.js";

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

describe("Faults of a YAML text", () => {
  it.each(FORMS)("are 1,000 at the most in a text of 20,000 times %j, and tell the first lines", (form) => {
    const composed = composeYaml(form.repeat(20_000));
    if (!("faults" in composed)) throw new Error("the text has no faults");
    expect(composed.faults.length).toBeLessThanOrEqual(1_000);
    expect(told(form.repeat(20_000))).toEqual(told(form.repeat(200)));
  });

  it("end the reading of a text whose brackets are never closed", () => {
    const composed = composeYaml("a: [\n".repeat(20_000));
    const read = "faults" in composed ? composed.documents.map(({ value }) => value) : [];
    expect(read.map((value) => value && "items" in value && value.items.length)).toEqual([1_000]);
  });

  it("are counted in every document of a text, and the second one is told first", () => {
    const text = `a: 1\n---\n${"\ta: 1\n".repeat(20_000)}`;
    const composed = composeYaml(text);
    expect("faults" in composed && composed.faults.length).toBe(1_001);
    expect(told(text)[0]?.code).toBe("GW1004");
  });
});
