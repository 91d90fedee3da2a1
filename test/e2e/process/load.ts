import { Agent, request } from "node:http";

export interface LoadResult {
  requests: number;
  /** What went wrong, one entry a failed request. */
  failures: string[];
}

/** Keeps `connections` kept-alive connections busy until `stop`; a response other than 200 is a failure too. */
export class Load {
  readonly result: LoadResult = { requests: 0, failures: [] };
  private stopped = false;
  private readonly ends: Promise<void>[];
  private readonly agents: Agent[];

  constructor(port: number, path: string, connections = 8) {
    this.agents = Array.from({ length: connections }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    this.ends = this.agents.map((agent) => this.keepBusy(agent, port, path));
  }

  private async keepBusy(agent: Agent, port: number, path: string): Promise<void> {
    while (!this.stopped) {
      const failure = await one(agent, port, path);
      this.result.requests += 1;
      if (failure !== undefined) this.result.failures.push(failure);
    }
  }

  async stop(): Promise<LoadResult> {
    this.stopped = true;
    await Promise.all(this.ends);
    for (const agent of this.agents) agent.destroy();
    return this.result;
  }
}

function one(agent: Agent, port: number, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const call = request({ agent, port, host: "127.0.0.1", path }, (response) => {
      response.on("data", () => {});
      response.on("error", (error) => resolve(error.message));
      response.on("end", () =>
        resolve(response.statusCode === 200 ? undefined : `status ${response.statusCode}`),
      );
    });
    call.on("error", (error) => resolve(error.message));
    call.setTimeout(10_000, () => call.destroy(new Error("no answer for 10 s")));
    call.end();
  });
}
