/** Visitors that do nothing but ask for tasks, as fast as they are answered. */
import { Agent, request } from "node:http";
import { API } from "../../plugins/captcha/service/protocol.js";
import { SITE } from "../support/verify-harness.js";

export interface VisitorCounts {
  sessions: number;
  tasks: number;
  /** Pictures and sounds that were fetched. */
  parts: number;
  /** "wait", refused, or no answer. */
  other: number;
}

interface Reply {
  status: number;
  text: string;
}

/** So many visitors at once, each with an address of its own a session, until `stop`. */
export class Visitors {
  readonly counts: VisitorCounts = { sessions: 0, tasks: 0, parts: 0, other: 0 };
  readonly #port: number;
  readonly #agent: Agent;
  readonly #running: Promise<void>[];
  #stopped = false;
  #address = 0;

  constructor(port: number, count: number) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: count });
    this.#running = Array.from({ length: count }, () => this.#visit());
  }

  async stop(): Promise<VisitorCounts> {
    this.#stopped = true;
    await Promise.all(this.#running);
    this.#agent.destroy();
    return this.counts;
  }

  async #visit(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#session();
      } catch {
        this.counts.other++;
      }
    }
  }

  async #session(): Promise<void> {
    const n = ++this.#address;
    const address = `100.${64 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
    const begun = await this.#post("/session", address, { site_key: SITE, origin: "https://shop.example" });
    if (begun.session === undefined) throw new Error("no session");
    this.counts.sessions++;
    const { session, pow } = begun as { session: string; pow: { id: string; n: number } };
    const answers = Array.from({ length: pow.n }, (_, i) => i);
    const ticked = await this.#post("/score", address, {
      session,
      pow: { id: pow.id, answers, ms: 1 },
      telemetry: {},
    });
    if (ticked.outcome !== "task") throw new Error("no task");
    const next = await this.#post("/task/next", address, { session });
    if (next.outcome !== "task") throw new Error("no task");
    this.counts.tasks++;
    const { task, parts } = next as { task: string; parts: { name: string; kind: string }[] };
    for (const { name, kind } of parts) {
      const { status } = await this.#send("GET", `${API}/task/${task}/${name}.${kind}`, address);
      if (status === 200) this.counts.parts++;
    }
  }

  async #post(path: string, address: string, body: object): Promise<Record<string, unknown>> {
    const { text } = await this.#send("POST", API + path, address, JSON.stringify(body));
    return JSON.parse(text) as Record<string, unknown>;
  }

  #send(method: string, path: string, address: string, body = ""): Promise<Reply> {
    const headers = {
      Origin: "http://127.0.0.1",
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      "X-Forwarded-For": address,
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      "Accept-Language": "en",
      "Sec-Fetch-Site": "same-origin",
      "Sec-Fetch-Mode": "cors",
      "Sec-Fetch-Dest": "empty",
    };
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: this.#port, agent: this.#agent, method, path, headers };
      const outgoing = request(options, (incoming) => {
        let text = "";
        incoming.setEncoding("latin1").on("data", (piece: string) => {
          text += piece;
        });
        incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text }));
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }
}
