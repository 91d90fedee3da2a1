import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { newApiKey } from "../../../plugins/captcha/service/verify/api-key.js";
import { tick, tokenFrom } from "../../support/captcha-visitor.js";
import { type Issued, issue } from "../../support/certificates.js";
import { LineServer } from "../../support/line-server.js";
import { freePort } from "../../support/ports.js";
import { type Family, readMetrics } from "../../support/prometheus.js";
import { SITE_KEY, siteKey } from "../captcha/captcha-gateway.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";
import { fetchOver, handshake } from "../tls/harness.js";

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** Ports of the servers around a gateway. */
interface Ports {
  secure: number;
  captcha: number;
  upstream: number;
  /** A port without a listener. */
  dead: number;
  gone: readonly [number, number];
  logs: number;
}

function resources(
  ports: Ports,
  { id, key }: { id: string; key: string },
  { cert, key: pem }: Issued,
): object {
  const nodes = { [`127.0.0.1:${ports.upstream}`]: 1 };
  const partly = { ...nodes, [`127.0.0.1:${ports.dead}`]: 1 };
  const dead = Object.fromEntries(ports.gone.map((port) => [`127.0.0.1:${port}`, 1]));
  const captcha = { captcha_url: `http://127.0.0.1:${ports.captcha}`, site_key: SITE_KEY, api_key: key };
  const syslog = (port: number) => ({ host: "127.0.0.1", port, batch_max_size: 1 });
  return {
    upstreams: [
      { id: "shop", nodes, keepalive_pool: { idle_timeout: 600 } },
      { id: "partly", nodes: partly },
      { id: "dead", nodes: dead, retry_budget: { percent: 0, min_per_second: 0 } },
    ],
    routes: [
      { id: "shop", uri: "/shop", upstream_id: "shop", plugins: { syslog: syslog(ports.logs) } },
      { id: "partly", uri: "/partly", upstream_id: "partly" },
      { id: "dead", uri: "/dead", upstream_id: "dead" },
      {
        ...{ id: "kept", uri: "/kept", upstream_id: "shop" },
        plugins: { syslog: { ...syslog(ports.logs), delivery: "durable" } },
      },
      {
        ...{ id: "lost", uri: "/lost", upstream_id: "shop" },
        plugins: { syslog: { ...syslog(ports.dead), max_retry_count: 1, retry_delay: 0, name: "to nobody" } },
      },
      { id: "form", uri: "/form", upstream_id: "shop", plugins: { captcha } },
    ],
    ssls: [{ id: "a", sni: "a.example", cert, key: pem }],
    captcha: { listen: { ip: "127.0.0.1", port: ports.captcha } },
    captcha_customers: [{ id: "shop" }],
    captcha_site_keys: [{ id: SITE_KEY, ...siteKey() }],
    captcha_api_keys: [{ id, customer: "shop", key }],
  };
}

/**
 * Families without an event here: too many series, a recovered spool, a file that cannot be renamed, a server
 * of tcp-logger, a record of 64 kB, a task of a visitor, a report of a backend.
 */
export const NOT_HERE: readonly string[] = [
  "gw_upstream_node_last_answer_timestamp_seconds",
  "gw_metrics_folded_total",
  "gw_log_entries_recovered_total",
  "gw_log_rotations_failed_total",
  "gw_log_connections_failed_total",
  "gw_syslog_truncated_total",
  "gw_captcha_plugin_last_failure_timestamp_seconds",
  "gw_captcha_tasks_total",
  "gw_captcha_feedback_total",
];

/** A gateway with all features that count: TLS, loggers with and without a spool, a dead node, a captcha. */
export class WholeGateway {
  readonly gateway: ProcessGateway;
  readonly ports: Ports;
  readonly #sink: LineServer;
  readonly #upstream: Server;

  private constructor(gateway: ProcessGateway, ports: Ports, sink: LineServer, upstream: Server) {
    this.gateway = gateway;
    this.ports = ports;
    this.#sink = sink;
    this.#upstream = upstream;
  }

  static async start(): Promise<WholeGateway> {
    const sink = await LineServer.start();
    const upstream = createServer((request, response) => {
      request.resume().on("end", () => response.end("ok"));
    });
    // Connections stay open until the test ends: the gauge of a node exists only while there are some.
    upstream.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const ports = {
      ...{ secure: await freePort(), captcha: await freePort() },
      ...{ dead: await freePort(), gone: [await freePort(), await freePort()] as const },
      ...{ upstream: (upstream.address() as AddressInfo).port, logs: sink.port },
    };
    const gateway = await ProcessGateway.prepare(
      resources(ports, newApiKey(), issue({ names: ["a.example"] })),
      {
        ...{ ssl: { listen: [{ ip: "127.0.0.1", port: ports.secure }] } },
        access_log: { path: "access.log" },
      },
    );
    const made = new WholeGateway(gateway, ports, sink, upstream);
    try {
      await gateway.open();
    } catch (error) {
      await made.end();
      throw error;
    }
    return made;
  }

  /** Sends requests of every kind of client and visitor. */
  async use(): Promise<void> {
    for (const path of ["/shop", "/kept", "/lost", "/nowhere"]) await this.gateway.get(path);
    for (let i = 0; i < 20; i++) for (const path of ["/partly", "/dead"]) await this.gateway.get(path);
    await fetchOver(await handshake(this.ports.secure, { servername: "a.example" }));
    await handshake(this.ports.secure, { servername: "b.example" }).catch(() => undefined);
    const url = `http://127.0.0.1:${this.ports.captcha}`;
    await tick(url, SITE_KEY);
    const post = (body: string) => exchange(this.gateway.port, "POST", "/form", body, FORM);
    await post("name=Ann");
    await post(`name=Ann&captcha-token=${await tokenFrom(url, SITE_KEY)}`);
    await exchange(this.ports.captcha, "GET", `/${SITE_KEY}/verify?jwt=a`, undefined, { "X-Api-Key": "a" });
    await this.gateway.admin("PUT", "/routes/more", { uri: "/more", upstream_id: "shop" });
    await this.gateway.admin("PUT", "/routes/more", { uri: 1 });
  }

  async page(): Promise<Map<string, Family>> {
    const { text } = await exchange(this.gateway.metricsPort, "GET", "/gw/prometheus/metrics");
    return readMetrics(text);
  }

  async end(): Promise<void> {
    await this.gateway.end();
    await this.#sink.stop();
    this.#upstream.close();
    this.#upstream.closeAllConnections();
  }
}
