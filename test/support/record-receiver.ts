import { createServer, type Socket } from "node:net";
import { KillableServer } from "./killable-server.js";

/** A syslog server over TCP that counts the copies of each record, and can be killed and restarted. */
export class RecordReceiver extends KillableServer {
  /** Number of copies of each record, by `record_id`. */
  readonly copies = new Map<string, number>();
  /** `record_id`s by the path of the request. */
  readonly byPath = new Map<string, Set<string>>();

  constructor() {
    super(() => createServer((socket) => this.#take(socket)));
  }

  /** Number of copies beyond the first. */
  get duplicates(): number {
    let count = 0;
    for (const copies of this.copies.values()) count += copies - 1;
    return count;
  }

  #take(socket: Socket): void {
    let rest = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#note(line);
    });
  }

  #note(line: string): void {
    const { record_id: id, path } = JSON.parse(line.slice(line.indexOf("{"))) as Record<string, string>;
    if (id === undefined || path === undefined) throw new Error(`not a record: ${line.slice(0, 200)}`);
    this.copies.set(id, (this.copies.get(id) ?? 0) + 1);
    const ids = this.byPath.get(path) ?? new Set<string>();
    this.byPath.set(path, ids.add(id));
  }
}
