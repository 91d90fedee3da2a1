/** What `gwc spool` uses of the runtime. */

import type { ResourceContext } from "./abi/resource.js";
import { originOf } from "./control/run-origin.js";
import { runSettings } from "./control/run-settings.js";
import { type WhatRuns, whatRuns } from "./control/what-runs.js";
import type { Destination } from "./log/contract.js";
import { MetricsRegistry } from "./metrics/registry.js";
import { openSink } from "./plugin-runtimes.js";
import { switchLog } from "./process/log.js";
import type { Secrets } from "./process/messages.js";
import { SecretTable } from "./process/secret-table.js";
import { nextEpoch } from "./spool/epoch.js";
import { describeDestination } from "./spool/layout.js";
import { Shipping } from "./spool/shipping.js";
import { purge, summarize } from "./spool/summary.js";

export type { RunOrigin } from "./control/launch-settings.js";
export type { Settings } from "./control/settings.js";

export const spoolTools = {
  originOf,
  runSettings,
  summarize,
  purge,

  async whatRuns(...gateway: Parameters<typeof whatRuns>): Promise<WhatRuns> {
    switchLog(false);
    return whatRuns(...gateway);
  },

  /** Writes down anew what a destination is, as its logger would. */
  describe(directory: string, { kind, id, settings }: Destination): void {
    // What a spool delivers is confirmed, where the destination has a way to.
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
