import type { Metrics } from "../../../../runtime/abi/metrics.js";
import { STATE_KINDS, type StateStore } from "../contract.js";

/** What the state holds now, where that is known, and how much of it had to make room for others. */
export function stateMetrics(metrics: Metrics, states: StateStore): void {
  const usage = states.usage();
  for (const kind of STATE_KINDS) {
    const { entries, bytes, evicted } = usage[kind];
    const gauge = (name: string, help: string, value: number) =>
      metrics.gauge(name, help, { kind }).set(value);
    if (entries !== undefined)
      gauge("gw_captcha_state_entries", "Open sessions, answers of tasks, pictures and sound.", entries);
    if (bytes !== undefined) gauge("gw_captcha_state_bytes", "Bytes of them, as the budgets count.", bytes);
    gauge("gw_captcha_state_evicted", "Entries that made room for others since the start.", evicted);
  }
}
