import type { Plan } from "../../../compiler/model/plan.js";
import { upstreamOutcome, wholeRequest } from "../../../runtime/control/in-process/exchange-bytes.js";
import type { ConnectionEndpoints } from "../../../runtime/control/in-process/serve.js";
import { interpret } from "../../oracle/interpret.js";
import type { LogRecord } from "../../oracle/state.js";
import type { CaseExchange, ConformanceCase } from "./case.js";
import type { Observed } from "./check.js";
import { rulesOf } from "./gateway-rules.js";

/** Returns the exchange that the oracle predicts from the plan. */
export function predict(
  plan: Plan,
  { request, upstream }: CaseExchange,
  ends: Omit<ConnectionEndpoints, "clientAddress"> & { secure?: boolean },
  { verification: verdicts, configuration = {} }: Partial<ConformanceCase> = {},
): Observed {
  const { forwarded, received, logs, verifications } = interpret(
    plan,
    { ...wholeRequest(request), ...ends },
    upstreamOutcome(upstream),
    foreseenVerdicts(verdicts),
    rulesOf(configuration),
  );
  const seen = { upstreamRequest: forwarded, response: received, logs: byPlugin(logs) };
  return verdicts === undefined ? seen : { ...seen, verifications };
}

function foreseenVerdicts(verdicts: ConformanceCase["verification"] = {}) {
  return Object.fromEntries(
    Object.entries(verdicts).map(([token, { failure, ...said }]) => [
      token,
      { ...said, failure: failure !== undefined },
    ]),
  );
}

/** Sorts records by plugin, in the order of each destination, as they are captured. */
function byPlugin(logs: readonly LogRecord[]): LogRecord[] {
  return [...logs].sort((a, b) => (a.plugin < b.plugin ? -1 : a.plugin > b.plugin ? 1 : 0));
}
