import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capturing } from "../../runtime/control/in-process/captured-logs.js";
import type { CaseExchange } from "../conformance/runner/case.js";
import { comparable } from "../conformance/runner/check.js";
import { compileCase } from "../conformance/runner/compiled.js";
import { happened } from "../conformance/runner/in-process.js";
import { predict } from "../conformance/runner/prediction.js";
import { runs } from "../support/runs.js";
import { answer, configuration, request } from "./configurations.js";

const ENDS = { clientPort: 40_000, serverAddress: "127.0.0.1", serverPort: 9080 };
const RUNS = runs(300);

describe("the compiled modules", () => {
  it("compiled modules do what the oracle predicts for any configuration, request and response", async () => {
    let compiled = 0;
    await fc.assert(
      fc.asyncProperty(
        configuration(() => 1980),
        fc.array(fc.tuple(request, answer), { minLength: 2, maxLength: 4 }),
        async (written, exchanges) => {
          const { plan, artifact } = compileCase({
            name: "property",
            because: {},
            reference: [],
            configuration: written,
          });
          // The compiler rejects unsatisfiable conditions, for example.
          if (plan === undefined || artifact === undefined) return;
          compiled++;
          for (const [asked, answered] of exchanges) {
            const exchange = { request: asked, upstream: answered, expect: {} } as CaseExchange;
            const { generation, records } = capturing(artifact);
            const seen = await happened(generation, exchange, ENDS);
            seen.logs = await records();
            expect(comparable(seen)).toEqual(comparable(predict(plan, exchange, ENDS)));
          }
        },
      ),
      { numRuns: RUNS },
    );
    expect(compiled).toBeGreaterThan(RUNS / 3);
  });
});
