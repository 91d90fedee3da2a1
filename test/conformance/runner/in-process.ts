import { runExchange as happenedWith } from "../../../runtime/control/in-process/run-exchange.js";
import type { ConnectionEndpoints } from "../../../runtime/control/in-process/serve.js";
import type { Admission } from "../../../runtime/proxy/host/admission.js";
import type { LiveGeneration } from "../../../runtime/proxy/host/contract.js";
import { FilterThread } from "../../../runtime/proxy/host/filter-thread.js";
import type { CaseExchange } from "./case.js";
import type { Observed } from "./check.js";

/** Built module, since a thread runs no TypeScript. */
const BUILT_FILTER_WORK = new URL("../../../.build/runtime/proxy/host/filter-work.js", import.meta.url);

/** Runs an exchange through the compiled modules, without a socket. */
export function happened(
  generation: LiveGeneration,
  exchange: CaseExchange,
  ends: Omit<ConnectionEndpoints, "clientAddress">,
  admission?: Admission,
): Promise<Observed> {
  const filterThread = new FilterThread(undefined, BUILT_FILTER_WORK);
  return happenedWith(generation, exchange, ends, { filterThread, ...(admission && { admission }) });
}
