import { rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { LineChannel } from "../process/control-link.js";
import type { ControlMessageHandler } from "../process/control-messages.js";
import { CONTROL_SOCKET, type ToControl, type ToWorker } from "../process/messages.js";
import type { Workers } from "./workers.js";

export function linkServer(
  runDirectory: string,
  workers: Workers,
  replace: (pid: number) => void,
): Promise<Server> {
  const path = join(runDirectory, CONTROL_SOCKET);
  // A killed control leaves its socket behind.
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    let pid = 0;
    const attached = workers.attach({
      send: (message) => channel.send(message),
      replace: () => replace(pid),
    });
    const hear = (message: ToControl) => {
      if (message.type === "hello") pid = message.pid;
      attached.hear(message);
    };
    const channel = new LineChannel<ToControl, ToWorker>(socket, hear, attached.gone);
  });
  return new Promise((resolve, reject) => {
    // Stays attached: a later error, such as no descriptor for accepting, is transient and must not end the process.
    server.on("error", reject);
    server.listen(path, () => resolve(server));
  });
}

/** The worker shares control's process (`workers: 0`) and cannot be replaced. */
export function attachInProcess(
  workers: Workers,
  serving: ControlMessageHandler,
): (message: ToControl) => void {
  const attached = workers.attach({
    // Delivers in the next turn of the event loop, as a socket would.
    send: (message) => setImmediate(() => serving.handle(message, attached.hear)),
    replace: () => {},
  });
  attached.hear(serving.hello());
  return attached.hear;
}
