import "../../plugins/runtime.js";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Field } from "../../compiler/plugin/package.js";
import type { LogEntry } from "../../runtime/abi/delivery.js";
import { resolvedText } from "../../runtime/abi/environment.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import { hasSink } from "../../runtime/abi/plugin-runtime.js";
import type { SharedResource } from "../../runtime/abi/resource.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import { recordOf } from "../../runtime/control/in-process/captured-logs.js";
import { fieldsOf, type ShippedRecord } from "../../runtime/control/in-process/exchange-spec.js";
import { fieldValues } from "../../runtime/control/in-process/wire-message.js";
import type { LogOutput } from "../../runtime/logging/log-output.js";
import { DataServer } from "../../runtime/proxy/host/data-server.js";
import { HostedGenerations } from "../../runtime/proxy/host/generations.js";
import { SharedResources } from "../../runtime/proxy/host/shared-resources.js";
import type { Report } from "../../runtime/proxy/host/worker-context.js";
import type { CaseAnswer, CaseExchange, PluginCase } from "./case-file.js";
import type { Fault, Seen } from "./expectation.js";

/** Timeout of one exchange in ms. */
const LONGEST_MS = 10_000;
const DRAIN_MS = 1_000;

export function requestOf({ request: written = {} }: CaseExchange) {
  const headers = fieldsOf(written.headers);
  if (fieldValues(headers, "host").length === 0) headers.unshift(["Host", "gw.test"]);
  const body = utf8(written.body ?? "");
  if (body !== "") headers.push(["Content-Length", String(body.length)]);
  const { method = "GET", target = "/" } = written;
  return { method, target: utf8(target), headers, body };
}

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

/** Data plane of a worker between a client, an upstream and the services of a case, on free loopback ports. */
export class PluginTestGateway {
  readonly #upstream = createServer(async (incoming, response) => {
    const { method = "", url = "" } = incoming;
    const body = await bodyOf(incoming);
    this.#upstreamRequest = { method, target: url, headers: fieldsIn(incoming), body };
    send(response, this.#answer);
  });
  #upstreamRequest: Seen["upstreamRequest"];
  #answer: CaseAnswer = {};
  #serviceRequests = new Map<string, number>();

  static async start(): Promise<PluginTestGateway> {
    const gateway = new PluginTestGateway();
    await listening(gateway.#upstream);
    return gateway;
  }

  get upstreamPort(): number {
    return portOf(this.#upstream);
  }

  stop(): void {
    stopServer(this.#upstream);
  }

  async withServices<T>(
    services: PluginCase["services"] = {},
    use: (addresses: ReadonlyMap<string, string>) => Promise<T>,
  ): Promise<T> {
    const servers = new Map<string, Server>();
    try {
      for (const [name, answers] of Object.entries(services)) {
        const byPath = new Map(Object.entries(answers));
        const answer = (incoming: IncomingMessage) => {
          this.#serviceRequests.set(name, (this.#serviceRequests.get(name) ?? 0) + 1);
          return byPath.get(incoming.url ?? "") ?? { status: 404 };
        };
        const server = createServer((incoming, response) => send(response, answer(incoming)));
        servers.set(name, await listening(server));
      }
      return await use(new Map([...servers].map(([name, server]) => [name, `127.0.0.1:${portOf(server)}`])));
    } finally {
      for (const server of servers.values()) stopServer(server);
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
    let faults: Fault[] = [];
    const report: Report = (event, _, reason) => {
      faults.push({ event, reason });
    };
    const secret = (reference: string) => secrets.get(reference) ?? resolvedText(reference, process.env);
    const spoolDirectory = mkdtempSync(join(tmpdir(), "gwc-spool-"));
    const metrics = new MetricsRegistry();
    const resources = new ObservedResources({ secret, report: () => {}, metrics, worker: 0, spoolDirectory });
    const generations = new HostedGenerations({ resources });
    let inFlight = 0;
    let server: DataServer | undefined;
    try {
      generations.start(1, artifact);
      server = new DataServer({
        generation: () => generations.live,
        report,
        onRequestStart: () => inFlight++,
        onRequestEnd: () => inFlight--,
      });
      const { port } = await server.accept({ port: 0, host: "127.0.0.1" });
      const seen: Seen[] = [];
      for (const exchange of exchanges) {
        faults = [];
        this.#serviceRequests = new Map();
        const got = await this.#exchange(port, exchange);
        // Loggers run after the last byte of the response.
        const deadline = Date.now() + LONGEST_MS;
        while (inFlight > 0 && Date.now() < deadline) await setTimeout(1);
        const logs = await resources.records();
        seen.push({ ...got, serviceRequests: this.#serviceRequests, logs, faults });
      }
      return seen;
    } finally {
      await server?.close(DRAIN_MS);
      await generations.close(DRAIN_MS);
      rmSync(spoolDirectory, { recursive: true, force: true });
    }
  }

  async #exchange(port: number, exchange: CaseExchange): Promise<Pick<Seen, "upstreamRequest" | "response">> {
    this.#upstreamRequest = undefined;
    this.#answer = exchange.upstream ?? {};
    const { method, target, headers, body } = requestOf(exchange);
    const sent = request({
      ...{ host: "127.0.0.1", port, method, path: target, setHost: false, agent: false },
      headers: headers.flat(),
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    sent.end(body, "latin1");
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const got = {
      status: response.statusCode ?? 0,
      headers: fieldsIn(response),
      body: await bodyOf(response),
    };
    return { upstreamRequest: this.#upstreamRequest, response: got };
  }
}

async function listening(server: Server): Promise<Server> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

function stopServer(server: Server): void {
  server.close();
  server.closeAllConnections();
}

function send(response: ServerResponse, { status = 200, headers, body = "", silence }: CaseAnswer): void {
  if (silence) return;
  response.sendDate = false;
  const bytes = Buffer.from(body, "utf8");
  response.writeHead(status, [...fieldsOf(headers), ["Content-Length", String(bytes.length)]].flat());
  response.end(bytes);
}

function fieldsIn({ rawHeaders }: IncomingMessage): Field[] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, i) => [
    rawHeaders[2 * i] ?? "",
    rawHeaders[2 * i + 1] ?? "",
  ]);
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  let text = "";
  message.setEncoding("latin1");
  for await (const chunk of message) text += chunk;
  return text;
}
