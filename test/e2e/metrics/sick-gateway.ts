import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { issue } from "../../support/certificates.js";
import { compileLibrary, hasCompiler } from "../../support/compiled-library.js";
import { freePort } from "../../support/ports.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";
import { handshake } from "../tls/harness.js";

const FAILING_DISK = fileURLToPath(new URL("../process/fixtures/failing-disk.c", import.meta.url));
/** Reports whether the disk below the store can be made to fail. */
export const CAN_FAIL: boolean = hasCompiler("a store that fails");

const DAY = 86_400_000;
/** Limit of client connections of a worker. */
const CONNECTIONS = 24;
/** Routes for more series than `series_limit` in each worker; each has three latency series. */
const ROUTES = Array.from({ length: 120 }, (_, i) => `many-${i}`);

/** Time in the form of openssl: "20240101000000Z". */
const moment = (ms: number) => `${new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "")}`;
const certificate = (id: string, days: number) => {
  const now = Date.now();
  const { cert, key } = issue({
    names: [`${id}.example`],
    dates: [moment(now - DAY), moment(now + days * DAY)],
  });
  return { id, sni: `${id}.example`, cert, key };
};

interface Ports {
  secure: number;
  metrics: number;
  upstream: number;
  dead: number;
}

function resources({ upstream, dead, metrics }: Ports): object {
  const to = (port: number) => ({ [`127.0.0.1:${port}`]: 1 });
  const syslog = { host: "127.0.0.1", port: dead, include_req_body: true };
  const spool = { max_bytes: 1_048_576, on_full: "drop_oldest" };
  const captcha = {
    captcha_url: `http://127.0.0.1:${dead}`,
    site_key: "sk_gone_away",
    api_key: "k".repeat(40),
  };
  return {
    plugin_attr: {
      prometheus: { export_addr: { ip: "127.0.0.1", port: metrics }, series_limit: 100 },
    },
    upstreams: [
      { id: "well", nodes: to(upstream) },
      {
        id: "dead",
        nodes: { ...to(dead), "127.0.0.1:1": 1 },
        retry_budget: { percent: 0, min_per_second: 0 },
        // No node is ejected, so that there is always another one to try.
        checks: { passive: { unhealthy: { tcp_failures: 0 } } },
      },
    ],
    routes: [
      { id: "well", uri: "/well", upstream_id: "well" },
      { id: "broken", uri: "/broken", upstream_id: "well" },
      { id: "slow", uri: "/slow", upstream_id: "well" },
      { id: "dead", uri: "/dead", upstream_id: "dead" },
      {
        id: "kept",
        uri: "/kept",
        upstream_id: "well",
        plugins: { syslog: { ...syslog, delivery: "durable", spool } },
      },
      {
        id: "tried",
        uri: "/tried",
        upstream_id: "well",
        plugins: { syslog: { ...syslog, max_retry_count: 100, batch_max_size: 1 } },
      },
      {
        id: "cut",
        uri: "/cut",
        upstream_id: "well",
        plugins: { syslog: { ...syslog, sock_type: "udp", batch_max_size: 1 } },
      },
      {
        id: "form",
        uri: "/form",
        upstream_id: "well",
        plugins: { captcha: { ...captcha, policy: "fail-open" } },
      },
      ...ROUTES.map((id) => ({ id, uri: `/${id}`, upstream_id: "well" })),
    ],
    ssls: [certificate("soon", 10), certificate("now", 1)],
  };
}

/** A gateway with all failures at once. */
export class SickGateway {
  readonly gateway: ProcessGateway;
  readonly #secure: number;
  readonly #upstream: Server;
  readonly #idle: Socket[] = [];

  private constructor(gateway: ProcessGateway, secure: number, upstream: Server) {
    this.gateway = gateway;
    this.#secure = secure;
    this.#upstream = upstream;
  }

  static async start(): Promise<SickGateway> {
    const upstream = createServer((request, response) => {
      response.statusCode = request.url === "/broken" ? 500 : 200;
      const answer = () => response.end("ok");
      request.resume().on("end", () => (request.url === "/slow" ? setTimeout(answer, 2_500) : answer()));
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const gateway = await ProcessGateway.prepare({});
    const secure = await freePort();
    const ports = { secure, metrics: gateway.metricsPort, dead: await freePort() };
    const { port } = upstream.address() as AddressInfo;
    gateway.write(resources({ ...ports, upstream: port }), {
      ssl: { listen: [{ ip: "127.0.0.1", port: secure }] },
      limits: { connections: CONNECTIONS },
    });
    const made = new SickGateway(gateway, secure, upstream);
    if (CAN_FAIL) {
      const library = join(gateway.directory, "failing-disk.so");
      compileLibrary(FAILING_DISK, library);
      vi.stubEnv("LD_PRELOAD", library);
      vi.stubEnv("FAILING_DISK", made.diskFlag);
    }
    try {
      await gateway.open();
    } catch (error) {
      await made.end();
      throw error;
    }
    return made;
  }

  /** The store's disk fails while this file exists. */
  get diskFlag(): string {
    return join(this.gateway.directory, "failing");
  }

  /** Sends some requests of each kind; called repeatedly, since a rate needs two scrapes. */
  async use(): Promise<void> {
    const { gateway } = this;
    const all = ["/well", "/broken", "/broken", ...Array(8).fill("/dead"), "/tried"];
    await Promise.all([gateway.get("/slow"), ...all.map((path) => gateway.get(path))]);
    const post = (path: string, body: string, type = "text/plain") =>
      exchange(gateway.port, "POST", path, body, { "Content-Type": type });
    await post("/kept", "x".repeat(60_000));
    await post("/cut", "x".repeat(80_000));
    await post("/form", "captcha-token=eyJ9.eyJ9.abcd", "application/x-www-form-urlencoded");
    const unknown = () => handshake(this.#secure, { servername: "b.example" }).catch(() => undefined);
    await Promise.all(Array.from({ length: 10 }, unknown));
  }

  /** Sends one request to each of many routes. */
  async visitMany(): Promise<void> {
    for (const id of ROUTES) await this.gateway.get(`/${id}`);
  }

  /** Opens more connections than both workers accept; accepted ones stay open until `leave`. */
  crowd(): void {
    for (let i = 0; i < 4 * CONNECTIONS; i++)
      this.#idle.push(connect(this.gateway.port, "127.0.0.1").on("error", () => {}));
  }

  leave(): void {
    for (const socket of this.#idle.splice(0)) socket.destroy();
  }

  async end(): Promise<void> {
    this.leave();
    vi.unstubAllEnvs();
    await this.gateway.end();
    this.#upstream.close();
    this.#upstream.closeAllConnections();
  }
}
