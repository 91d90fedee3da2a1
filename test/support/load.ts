import { Agent as PlainAgent, request as requestPlainly } from "node:http";
import { request as requestSecurely, Agent as SecureAgent } from "node:https";
import { PATIENCE_MS, until } from "./patience.js";

export interface LoadOptions {
  port: number;
  /** Default: "/". */
  path?: string;
  /** Default: 8. */
  connections?: number;
  /** Default: true. False: a connection for each request. */
  keepAlive?: boolean;
  /** Uses TLS with this server name; the certificate is not verified. */
  servername?: string;
}

export interface LoadResult {
  requests: number;
  /** Errors, one entry for each failed request. */
  failures: string[];
}

/** Keeps connections busy until `stop`; a response other than 200 is a failure too. */
export class Load {
  readonly result: LoadResult = { requests: 0, failures: [] };
  readonly #ends: Promise<void>[];
  #stopped = false;

  constructor(options: LoadOptions) {
    this.#ends = Array.from({ length: options.connections ?? 8 }, () => this.#keepBusy(options));
  }

  async #keepBusy(options: LoadOptions): Promise<void> {
    const { keepAlive = true, servername } = options;
    const agent =
      servername === undefined
        ? new PlainAgent({ keepAlive, maxSockets: 1 })
        : new SecureAgent({ keepAlive, maxSockets: 1, rejectUnauthorized: false, servername });
    while (!this.#stopped) {
      const failure = await one(agent, options);
      this.result.requests += 1;
      if (failure !== undefined) this.result.failures.push(failure);
    }
    agent.destroy();
  }

  /** Resolves when `requests` more requests have ended. */
  async more(requests: number): Promise<void> {
    const goal = this.result.requests + requests;
    await until(() => this.result.requests >= goal);
  }

  async stop(): Promise<LoadResult> {
    this.#stopped = true;
    await Promise.all(this.#ends);
    return this.result;
  }
}

function one(agent: PlainAgent, { port, path = "/", servername }: LoadOptions): Promise<string | undefined> {
  const send = servername === undefined ? requestPlainly : requestSecurely;
  return new Promise((resolve) => {
    const call = send({ agent, port, host: "127.0.0.1", path }, (response) => {
      response.resume().on("error", (error) => resolve(error.message));
      response.on("end", () =>
        resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`),
      );
    });
    call.on("error", (error) => resolve(error.message));
    call.setTimeout(PATIENCE_MS, () => call.destroy(new Error(`no answer for ${PATIENCE_MS} ms`)));
    call.end();
  });
}
