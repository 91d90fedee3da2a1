import "../../../plugins/index.js";
import { readdirSync, readFileSync } from "node:fs";
import { compileFunction } from "node:vm";
import { describe, expect, it } from "vitest";
import { loadableOf } from "../../../runtime/abi/loadable.js";

const GOLDEN = new URL("../../golden/", import.meta.url);
const golden = readdirSync(GOLDEN, { recursive: true, encoding: "utf8" }).filter((name) =>
  /expected\/.*\.ts$/.test(name),
);

describe("the loadable form of a module", () => {
  it.each(golden)(
    "the loadable form of %s has the lines of its TypeScript except for imports and the export",
    (name) => {
      const typescript = readFileSync(new URL(name, GOLDEN), "utf8");
      const loadable = loadableOf(typescript);
      const [before, after] = [typescript, loadable].map((text) => text.split("\n"));
      const others = before?.filter((line, i) => line !== after?.[i]) ?? [];
      expect(after).toHaveLength(before?.length ?? 0);
      for (const line of others) expect(line).toMatch(/^(?:import \{|\} from "|export default )/);
      expect(() => compileFunction(loadable, ["require", "module"])).not.toThrow();
    },
  );

  it("import and export in comments and template strings are left unchanged", () => {
    const body = 'const a = `\nimport { b } from "c";\nexport default d`;\n\n';
    const typescript = `// import { a } from "b";\n\nimport {\n  d,\n} from "gwc/runtime";\n\n${body}export default d({\n});\n`;
    expect(loadableOf(typescript)).toBe(
      `// import { a } from "b";\n\nconst {\n  d,\n} = require("gwc/runtime");\n\n${body}module.exports = d({\n});\n`,
    );
  });

  it("the loadable form of a text that is no module is that text", () => {
    expect(loadableOf("//")).toBe("//");
    expect(loadableOf("")).toBe("");
  });
});
