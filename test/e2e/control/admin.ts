import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Gateway, startGateway } from "../../../runtime/control/embed.js";

export const ADMIN_KEY = "admin-key-of-the-tests";
export const VIEWER_KEY = "viewer-key-of-the-tests";
/** Upstream of resources that receive no traffic. */
export const UPSTREAM = { nodes: { "127.0.0.1:9": 1 } };

export interface AdminAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Parsed body; empty if it is not JSON. */
  json: Record<string, unknown>;
}

export interface AdminCall {
  headers?: Record<string, string>;
  /** null: send no key. */
  key?: string | null;
}

/** Gateway with an admin API on a free port and a store in its own directory. */
export class AdminGateway {
  readonly directory: string;
  gateway!: Gateway;
  private readonly deployment: Record<string, unknown>;

  private constructor(deployment: Record<string, unknown>) {
    this.directory = mkdtempSync(join(tmpdir(), "gwc-admin-"));
    this.deployment = deployment;
  }

  /** @param configuration YAML with resources; @param admin keys of `deployment.admin` */
  static async start(configuration = "", admin: Record<string, unknown> = {}): Promise<AdminGateway> {
    const keys = [
      { name: "admin", key: ADMIN_KEY, role: "admin" },
      { name: "viewer", key: VIEWER_KEY, role: "viewer" },
    ];
    const started = new AdminGateway({ admin: { admin_key: keys, ...admin } });
    writeFileSync(
      join(started.directory, "deployment.json"),
      JSON.stringify({ deployment: started.deployment }),
    );
    started.write(configuration);
    await started.open();
    return started;
  }

  /** Returns the paths of all files below the directory. */
  files(): string[] {
    return readdirSync(this.directory, { recursive: true, encoding: "utf8" }).sort();
  }

  /** Replaces the resources file. */
  write(configuration: string): void {
    writeFileSync(join(this.directory, "gateway.yaml"), configuration);
  }

  /** Starts the gateway on the same store. */
  async open(): Promise<void> {
    const anywhere = (setting: string) => ({ host: "127.0.0.1", port: 0, setting });
    this.gateway = await startGateway({
      paths: ["deployment.json", "gateway.yaml"],
      directory: this.directory,
      settings: {
        data: [anywhere("data")],
        admin: anywhere("admin"),
        status: anywhere("status"),
        metrics: { ...anywhere("metrics"), uri: "/gw/prometheus/metrics" },
      },
    });
  }

  async stop(): Promise<void> {
    await this.gateway.close(0);
    rmSync(this.directory, { recursive: true, force: true });
  }

  port(kind: "data" | "admin" | "status" | "metrics"): number {
    return this.gateway.addresses[kind][0]?.port ?? 0;
  }

  /** Calls `/gw/admin` + path. A string body is sent unchanged. */
  call(
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, key = ADMIN_KEY }: AdminCall = {},
  ): Promise<AdminAnswer> {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return exchange(this.port("admin"), method, `/gw/admin${path}`, text, {
      ...(key === null ? {} : { "X-API-KEY": key }),
      ...headers,
    });
  }
}

/** Sends one request on its own connection. */
export function exchange(
  port: number,
  method: string,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<AdminAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const call = request({
      port,
      host: "127.0.0.1",
      method,
      path,
      headers: { ...length, ...headers },
      agent: false,
    });
    call.on("error", reject);
    call.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
      });
    });
    call.end(body);
  });
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
