import "../../plugins/runtime.js";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogEntry } from "../../runtime/abi/delivery.js";
import { resolvedText } from "../../runtime/abi/environment.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import { hasSink } from "../../runtime/abi/plugin-runtime.js";
import type { SharedResource } from "../../runtime/abi/resource.js";
import { recordOf } from "../../runtime/control/in-process/captured-logs.js";
import { fieldsOf, type ShippedRecord } from "../../runtime/control/in-process/exchange-spec.js";
import {
  FAULTS,
  requestEnvironment,
  runExchange,
  withTimeout,
} from "../../runtime/control/in-process/run-exchange.js";
import type { LogOutput } from "../../runtime/logging/log-output.js";
import { FilterThread } from "../../runtime/proxy/host/filter-thread.js";
import { HostedGenerations } from "../../runtime/proxy/host/generations.js";
import { SharedResources } from "../../runtime/proxy/host/shared-resources.js";
import type { CaseExchange, PluginCase, ServiceResponse } from "./case-file.js";
import type { Fault, Seen } from "./expectation.js";

/** Timeout of one exchange in ms. */
const LONGEST_MS = 10_000;
const DRAIN_MS = 1_000;

/** Shared resources that work as in a gateway, and keep a copy of each record that a logger queues. */
class ObservedResources extends SharedResources {
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

/** Data path of a worker with the runtime parts of plugins, and the services of a case on free loopback ports. */
export class PluginTestGateway {
  #serviceRequests = new Map<string, number>();

  async withServices<T>(
    services: PluginCase["services"] = {},
    use: (addresses: ReadonlyMap<string, string>) => Promise<T>,
  ): Promise<T> {
    const servers = new Map<string, Server>();
    try {
      for (const [name, responses] of Object.entries(services)) {
        const byPath = new Map(Object.entries(responses));
        const server = createServer(({ url = "" }, response) => {
          this.#serviceRequests.set(name, (this.#serviceRequests.get(name) ?? 0) + 1);
          send(response, byPath.get(url) ?? { status: 404 });
        });
        servers.set(name, server.listen(0, "127.0.0.1"));
        await once(server, "listening");
      }
      return await use(new Map([...servers].map(([name, server]) => [name, addressOf(server)])));
    } finally {
      for (const server of servers.values()) {
        server.close();
        server.closeAllConnections();
      }
    }
  }

  /**
   * Runs exchanges one after another. Reports of plugins are no faults: they are for operators, and a case
   * may cause them on purpose.
   */
  async exchanges(
    artifact: Artifact,
    secrets: ReadonlyMap<string, string>,
    exchanges: readonly CaseExchange[],
  ): Promise<Seen[]> {
    const secret = (reference: string) => secrets.get(reference) ?? resolvedText(reference, process.env);
    const spoolDirectory = mkdtempSync(join(tmpdir(), "gwc-spool-"));
    const metrics = new MetricsRegistry();
    const resources = new ObservedResources({ secret, report: () => {}, metrics, worker: 0, spoolDirectory });
    const generations = new HostedGenerations({ resources });
    const filterThread = new FilterThread();
    const { ends, admission, limits } = requestEnvironment({}, process.env);
    try {
      generations.start(1, artifact);
      const seen: Seen[] = [];
      for (const exchange of exchanges) {
        const faults: Fault[] = [];
        this.#serviceRequests = new Map();
        const work = runExchange(generations.live, exchange, ends, {
          ...{ admission, limits, filterThread },
          report: (event, _, reason) => {
            if (FAULTS.has(event)) faults.push({ event, reason });
          },
        });
        const got = await withTimeout(work, LONGEST_MS);
        const logs = await resources.records();
        seen.push({ ...got, serviceRequests: this.#serviceRequests, logs, faults });
      }
      return seen;
    } finally {
      await filterThread.close();
      await generations.close(DRAIN_MS);
      rmSync(spoolDirectory, { recursive: true, force: true });
    }
  }
}

const addressOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`;

function send(
  response: ServerResponse,
  { status = 200, headers, body = "", silence }: ServiceResponse,
): void {
  if (silence) return;
  response.sendDate = false;
  const bytes = Buffer.from(body, "utf8");
  response.writeHead(status, [...fieldsOf(headers), ["Content-Length", String(bytes.length)]].flat());
  response.end(bytes);
}
