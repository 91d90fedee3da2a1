import type { LogEntry } from "../../runtime/abi/delivery.js";
import { hasSink } from "../../runtime/abi/plugin-runtime.js";
import type { SharedResource } from "../../runtime/abi/resource.js";
import { recordOf } from "../../runtime/control/in-process/captured-logs.js";
import type { ShippedRecord } from "../../runtime/control/in-process/exchange-spec.js";
import type { LogOutput } from "../../runtime/logging/log-output.js";
import { SharedResources } from "../../runtime/proxy/host/shared-resources.js";

/** Shared resources that work as in a gateway, and keep a copy of each record that a logger queues. */
export class ObservedResources extends SharedResources {
  #records: ShippedRecord[] = [];
  #making: Promise<unknown>[] = [];

  /** Returns the records since the last call, by plugin, once those that wait for a body are made. */
  async records(): Promise<ShippedRecord[]> {
    await Promise.allSettled(this.#making);
    const records = this.#records.sort((a, b) => (a.plugin < b.plugin ? -1 : a.plugin > b.plugin ? 1 : 0));
    this.#records = [];
    this.#making = [];
    return records;
  }

  override retain(resources: readonly SharedResource[]): void {
    super.retain(
      resources.map((resource) => ({
        ...resource,
        open: (context) => {
          const opened = resource.open(context);
          if (hasSink(resource.kind)) this.#observe(resource.kind, opened as LogOutput);
          return opened;
        },
      })),
    );
  }

  #observe(kind: string, output: LogOutput): void {
    const keep = (entry: LogEntry) => this.#records.push(recordOf(kind, entry));
    const [take, append, expect] = [output.take, output.append, output.expect];
    output.take = (entry, series) => {
      keep(entry);
      take.call(output, entry, series);
    };
    output.append = (entry, series) => {
      keep(entry);
      return append.call(output, entry, series);
    };
    output.expect = (making) => {
      this.#making.push(making);
      expect.call(output, making);
    };
  }
}
