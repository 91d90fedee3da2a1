// Every module is checked before it is published: the check must pass for all generated code.
import fc from "fast-check";
import { expect, it } from "vitest";
import { foreignNameReason } from "../../compiler/6-check/names.js";
import { compileCase } from "../conformance/runner/compiled.js";
import { runs } from "../support/runs.js";
import { configuration } from "./configurations.js";

const RUNS = runs(120);

it("modules name nothing beyond the runtime's surface for any configuration", () => {
  let modules = 0;
  fc.assert(
    fc.property(
      configuration(() => 1980),
      (written) => {
        const { artifact } = compileCase({ name: "r", because: {}, reference: [], configuration: written });
        for (const { code } of artifact?.modules ?? []) {
          modules++;
          expect(foreignNameReason(code)).toBeNull();
        }
      },
    ),
    { numRuns: RUNS },
  );
  expect(modules).toBeGreaterThan(RUNS / 5);
});
