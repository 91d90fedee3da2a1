/** What `gwc spool` uses of the runtime. */
import { knownSecrets } from "./control/known-secrets.js";
import { originOf } from "./control/run-origin.js";
import { runSettings } from "./control/run-settings.js";
import { MetricsRegistry } from "./metrics/registry.js";
import { openSink } from "./plugins/sinks.js";
import { switchLog } from "./process/log.js";
import type { Secrets } from "./process/messages.js";
import { SecretTable } from "./process/secret-table.js";
import { nextEpoch } from "./spool/epoch.js";
import { Shipping } from "./spool/shipping.js";
import { purge, summarize } from "./spool/summary.js";

export type { RunOrigin } from "./control/launch-settings.js";
export type { Settings } from "./control/settings.js";

export const spoolTools = {
  originOf,
  runSettings,
  summarize,
  purge,

  async secrets(...gateway: Parameters<typeof knownSecrets>): Promise<Secrets> {
    switchLog(false);
    return knownSecrets(...gateway);
  },

  /** Ships from this process until it is stopped. */
  ship(directory: string, secrets: Secrets): Shipping {
    const table = new SecretTable();
    table.start(secrets);
    const context = {
      secret: (reference: string) => table.resolve(reference),
      report: () => {},
      metrics: new MetricsRegistry(),
      worker: 0,
      spoolDirectory: directory,
    };
    return new Shipping({ directory, epoch: nextEpoch(directory), openSink, context });
  },
};
