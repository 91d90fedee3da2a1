import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkModules } from "../../compiler/6-check/index.js";
import { compileCase } from "../conformance/runner/compiled.js";
import { runs } from "../support/runs.js";
import { configuration } from "./configurations.js";

const RUNS = runs(30);

describe("generated modules", () => {
  it("generated modules pass the strict check of a build for any configuration", () => {
    // One program for all of them: opening one takes longer than checking fifty modules.
    const files = fc
      .sample(
        configuration(() => 1980),
        RUNS,
      )
      .flatMap((written, i) => {
        const compiled = compileCase({ name: "p", because: {}, reference: [], configuration: written });
        return compiled.modules.map(({ text, content }) => ({
          file: `${i}/${text.file}`,
          typescript: content,
          loadable: text.code,
        }));
      });
    expect(files.length).toBeGreaterThan(RUNS / 3);
    expect(checkModules(files)).toEqual([]);
  });
});
