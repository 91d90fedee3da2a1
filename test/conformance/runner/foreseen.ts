import type { Plan } from "../../../compiler/plan/plan.js";
import { interpret } from "../../oracle/interpret.js";
import type { Ends } from "../../support/in-process.js";
import type { CaseExchange } from "./case.js";
import type { Observed } from "./check.js";
import { upstreamOutcome, wholeRequest } from "./exchange.js";

/** The exchange as the oracle reads it from the plan. */
export function foreseen(
  plan: Plan,
  { request, upstream }: CaseExchange,
  ends: Omit<Ends, "clientAddress">,
): Observed {
  const { forwarded, received } = interpret(
    plan,
    { ...wholeRequest(request), ...ends },
    upstreamOutcome(upstream),
  );
  return { upstreamRequest: forwarded, response: received };
}
