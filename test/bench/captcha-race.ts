/** Several processes on one store, and many verifications of one token at once: exactly one may succeed. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import type { CaptchaSettings } from "../../plugins/captcha/service/contract.js";
import { newApiKey } from "../../plugins/captcha/service/verify/api-key.js";
import { newSecrets, SITE } from "../support/verify-harness.js";
import type { AskRefusals, FromNode, NodeOrder, Refusal, ToNode } from "./captcha-node.js";

export interface RaceResult {
  successes: number;
  /** "already_used". */
  refused: number;
  /** Anything else: a storage error, a status other than 200. */
  other: number;
}

/** Processes of the built `captcha-node.js`. */
export class CaptchaNodes {
  readonly key: string;
  readonly identity: Pick<NodeOrder, "keys" | "secrets">;
  readonly ports: number[] = [];
  readonly #processes: ChildProcess[] = [];
  readonly #agents: Agent[] = [];

  private constructor(identity: CaptchaNodes["identity"]) {
    this.identity = identity;
    this.key = identity.keys.shop.key;
  }

  /**
   * @param script path of the built `captcha-node.js`
   * @param as nodes whose secrets these have, too
   */
  static async start(
    script: string,
    count: number,
    store: CaptchaSettings["store"],
    as?: CaptchaNodes,
  ): Promise<CaptchaNodes> {
    const fresh = { keys: { shop: newApiKey(), other: newApiKey() }, secrets: newSecrets() };
    const nodes = new CaptchaNodes(as?.identity ?? fresh);
    for (let i = 0; i < count; i++) {
      const child = fork(script, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
      nodes.#processes.push(child);
      const answer = await told(child, { start: { store, ...nodes.identity } });
      if ("port" in answer) nodes.ports.push(answer.port);
      nodes.#agents.push(new Agent({ keepAlive: true, maxSockets: 200 }));
    }
    return nodes;
  }

  /** Of the first process. */
  get pid(): number {
    return this.#processes[0]?.pid ?? 0;
  }

  /** @param node which process signs them */
  async issue(count: number, node = 0): Promise<string[]> {
    const child = this.#processes[node % this.#processes.length];
    if (child === undefined) throw new Error("no process");
    const answer = await told(child, { issue: count });
    return "tokens" in answer ? answer.tokens : [];
  }

  /** Refusals of the store of the first process since it was last asked. */
  async refusals(): Promise<Refusal[]> {
    const [child] = this.#processes;
    if (child === undefined) throw new Error("no process");
    return (await told<{ refusals: Refusal[] }>(child, { refusals: true })).refusals;
  }

  /** Verifies one token so many times at once, spread over the processes. */
  async race(token: string, times: number): Promise<RaceResult> {
    const answers = await Promise.all(Array.from({ length: times }, (_, i) => this.#verify(token, i)));
    const count = (mark: string) => answers.filter((text) => text.includes(mark)).length;
    const successes = count(`"success":true`);
    const refused = count(`"already_used"`);
    return { successes, refused, other: times - successes - refused };
  }

  #verify(token: string, i: number): Promise<string> {
    const node = i % this.ports.length;
    const options = {
      host: "127.0.0.1",
      port: this.ports[node],
      agent: this.#agents[node],
      path: `/${SITE}/verify?jwt=${token}`,
      headers: { "X-Api-Key": this.key },
    };
    return new Promise((resolve) => {
      const outgoing = request(options, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (piece: string) => {
          text += piece;
        });
        incoming.on("end", () => resolve(text));
      });
      outgoing.on("error", (error) => resolve(error.message));
      outgoing.end();
    });
  }

  /** Ends one process at once, as a crash does; requests to it fail from then on. */
  kill(node: number): void {
    this.#processes[node]?.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents) agent.destroy();
    for (const child of this.#processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    }
  }
}

async function told<Answer = FromNode>(child: ChildProcess, message: ToNode | AskRefusals): Promise<Answer> {
  const listening = new AbortController();
  const { signal } = listening;
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`a process of the captcha ended with ${String(code)}`);
  });
  ended.catch(() => {});
  try {
    const answer = once(child, "message", { signal });
    child.send(message);
    const [first] = (await Promise.race([answer, ended])) as [Answer];
    return first;
  } finally {
    listening.abort();
  }
}
