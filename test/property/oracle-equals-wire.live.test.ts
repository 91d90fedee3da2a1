import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { capturing } from "../../runtime/control/in-process/captured-logs.js";
import type { CaseExchange } from "../conformance/runner/case.js";
import { comparable } from "../conformance/runner/check.js";
import { compileCase } from "../conformance/runner/compiled.js";
import { LiveGateway } from "../conformance/runner/live.js";
import { predict } from "../conformance/runner/prediction.js";
import { runs } from "../support/runs.js";
import { answer, configuration, request } from "./configurations.js";

const RUNS = runs(100);

let gateway: LiveGateway;

beforeAll(async () => {
  gateway = await LiveGateway.start();
});

afterAll(() => gateway.stop());

/** Responses without failures: those of a whole upstream take long and have cases of their own. */
const answered = answer.filter((outcome) => !("failure" in outcome));

describe("traffic between client, gateway and upstream", () => {
  it("the traffic on the wire is what the oracle predicts for any configuration, request and response", async () => {
    const exchanges = fc.array(fc.tuple(request, answered), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        configuration(() => gateway.upstream.port),
        exchanges,
        async (written, asked) => {
          const base = { name: "property", because: {}, reference: [] };
          const { plan, artifact } = compileCase({ ...base, configuration: written });
          if (plan === undefined || artifact === undefined) return;
          for (const [request, upstream] of asked) {
            const { generation, records } = capturing(artifact);
            gateway.generation = generation;
            const exchange = { request, upstream, expect: {} } as CaseExchange;
            const { clientPort, ...seen } = await gateway.exchange(exchange);
            seen.logs = await records();
            const expected = predict(plan, exchange, gateway.ends(clientPort));
            expect(comparable(seen)).toEqual(comparable(expected));
          }
        },
      ),
      { numRuns: RUNS },
    );
  });
});
