import { describe, expect, it } from "vitest";
import { interpret } from "../oracle/interpret.js";
import { type CaseExchange, caseNames, readCase } from "./runner/case.js";
import { checkExchange } from "./runner/check.js";
import { compileCase, compiledCase } from "./runner/compiled.js";
import { upstreamOutcome, wholeRequest } from "./runner/exchange.js";

const PORT = 1980;
const GATEWAY_PORT = 9080;

/** The exchange as the oracle sees it happen. */
function foreseen(plan: Parameters<typeof interpret>[0], { request, upstream }: CaseExchange) {
  const ends = { clientPort: 40_000, serverAddress: "127.0.0.1", serverPort: GATEWAY_PORT };
  const { forwarded, received } = interpret(
    plan,
    { ...wholeRequest(request), ...ends },
    upstreamOutcome(upstream),
  );
  return { upstreamRequest: forwarded, response: received };
}

describe.each(caseNames())("%s", (name) => {
  const written = readCase(name, PORT);

  it.runIf(written.refused !== undefined)("is refused", () => {
    const { diagnostics } = compileCase(written);
    const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
    expect([...new Set(errors)]).toEqual(written.refused);
  });

  it.each(
    (written.exchanges ?? []).map((exchange, i) => [exchange.when ?? `exchange ${i + 1}`, exchange] as const),
  )("oracle: %s", (_, exchange) => checkExchange(exchange, foreseen(compiledCase(written).plan, exchange)));
});
