import { Agent, request } from "node:http";

/** Connections that request a new path each time, until they are stopped. */
export class UniqueLoad {
  /** Time in ms since 1970 at which a complete 200 response had arrived, by path. */
  readonly answered = new Map<string, number>();
  refused = 0;
  failed = 0;
  readonly #port: number;
  readonly #headers: Record<string, string>;
  readonly #ends: Promise<void>[];
  readonly #pauseMs: number;
  #asked = 0;
  #stopped = false;

  constructor(port: number, { connections = 8, pauseMs = 0, headers = {} as Record<string, string> } = {}) {
    this.#port = port;
    this.#headers = headers;
    this.#pauseMs = pauseMs;
    this.#ends = Array.from({ length: connections }, () => this.#keepBusy());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#ends);
  }

  async #keepBusy(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.#stopped) {
      const path = `/r/${++this.#asked}`;
      const status = await this.#ask(agent, path);
      if (status === 200) this.answered.set(path, Date.now());
      else if (status === undefined) this.failed++;
      else this.refused++;
      // Avoids a busy loop while the gateway is down or overloaded.
      const pause = status === 200 ? this.#pauseMs : Math.max(20, this.#pauseMs);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    agent.destroy();
  }

  #ask(agent: Agent, path: string): Promise<number | undefined> {
    return new Promise((resolve) => {
      const headers = this.#headers;
      const call = request({ agent, port: this.#port, host: "127.0.0.1", path, headers }, (response) => {
        response.on("error", () => resolve(undefined));
        response.on("aborted", () => resolve(undefined));
        response.resume().on("end", () => resolve(response.statusCode));
      });
      call.on("error", () => resolve(undefined));
      call.setTimeout(10_000, () => call.destroy());
      call.end();
    });
  }
}
