import "../plugins/runtime.js";
import type { Destination } from "../runtime/abi/delivery.js";
import { MetricsRegistry } from "../runtime/abi/metrics-registry.js";
import { hasSink, openSink } from "../runtime/abi/plugin-runtime.js";
import type { ResourceContext } from "../runtime/abi/resource.js";
import { runSource } from "../runtime/control/launch-settings.js";
import { runSettings } from "../runtime/control/run-settings.js";
import { readWorkerInputs, type WorkerInputs } from "../runtime/control/worker-inputs.js";
import { nextEpoch } from "../runtime/logging/spool/cursor.js";
import { describeDestination } from "../runtime/logging/spool/layout.js";
import { Shipping } from "../runtime/logging/spool/shipping.js";
import { purge, summarize } from "../runtime/logging/spool/summary.js";
import { switchLog } from "../runtime/process/log.js";
import type { Secrets } from "../runtime/process/messages.js";
import { SecretTable } from "../runtime/process/secret-table.js";

export type { RunSource } from "../runtime/control/launch-settings.js";
export type { Settings } from "../runtime/control/settings.js";

export const spoolTools = {
  runOrigin: runSource,
  runSettings,
  summarize,
  purge,
  hasSink,

  async whatRuns(...gateway: Parameters<typeof readWorkerInputs>): Promise<WorkerInputs> {
    switchLog(false);
    return readWorkerInputs(...gateway);
  },

  /** Writes the description of a destination again, as its logger would. */
  describe(directory: string, { kind, id, settings }: Destination): void {
    // A spool delivers with confirmation if the destination supports it.
    describeDestination(directory, { kind, id, settings: { ...settings, confirm: true } });
  },

  /** Ships from this process until it is stopped. */
  ship(directory: string, secrets: Secrets, report: ResourceContext["report"]): Shipping {
    const table = new SecretTable();
    table.start(secrets);
    const context = {
      secret: (reference: string) => table.resolve(reference),
      report,
      metrics: new MetricsRegistry(),
      worker: 0,
      spoolDirectory: directory,
    };
    return new Shipping({ directory, epoch: nextEpoch(directory), openSink, context });
  },
};
