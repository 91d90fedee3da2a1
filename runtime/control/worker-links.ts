import { rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { ControlMessageHandler } from "../process/control-messages.js";
import { LineChannel } from "../process/line-channel.js";
import { CONTROL_SOCKET, type ToControl, type ToWorker } from "../process/messages.js";
import type { Workers } from "./workers.js";

/** Takes the connections of workers (and of their watchdogs) on the socket in the run directory. */
export function linkServer(
  runDirectory: string,
  workers: Workers,
  replace: (pid: number) => void,
): Promise<Server> {
  const path = join(runDirectory, CONTROL_SOCKET);
  // Left over from a control that was killed.
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
    // It stays: a later error, such as no descriptor left for accepting, passes by itself and must not end the process.
    server.on("error", reject);
    server.listen(path, () => resolve(server));
  });
}

/**
 * Joins a worker that lives in control's own process (`workers: 0`). It cannot be replaced, only waited for.
 * @returns what tells control something
 */
export function attachInProcess(
  workers: Workers,
  serving: ControlMessageHandler,
): (message: ToControl) => void {
  const attached = workers.attach({
    // A turn of the event loop between the two, as a socket would have.
    send: (message) => setImmediate(() => serving.hear(message, attached.hear)),
    replace: () => {},
  });
  attached.hear(serving.hello());
  return attached.hear;
}
