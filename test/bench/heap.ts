import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deployment } from "./gwc.js";
import { manyRoutes } from "./many-routes.js";
import { scratchDirectory } from "./peer.js";

export interface HeapGateway {
  admin: number;
  /** Bytes in use after a collection, of the process that serves, routes and answers the admin API. */
  heap(): Promise<number>;
  stop(): Promise<void>;
}

/** One process that does everything but compiling, which has a thread and so a heap of its own. */
export async function startForHeap(): Promise<HeapGateway> {
  const { path, remove } = scratchDirectory();
  const { keys } = await deployment(path);
  const file = join(path, "gateway.json");
  writeFileSync(file, JSON.stringify({ ...keys, ...manyRoutes(100, 1_980) }));
  const server = fileURLToPath(new URL("./heap-server.js", import.meta.url));
  const child = fork(server, [file, path], { execArgv: ["--expose-gc"] });
  const [ready] = (await once(child, "message")) as [{ admin: number }];
  return {
    admin: ready.admin,
    async heap() {
      child.send("heap");
      const [answer] = (await once(child, "message")) as [{ heap: number }];
      return answer.heap;
    },
    async stop() {
      const ended = once(child, "exit");
      child.send("stop");
      await ended;
      remove();
    },
  };
}
