import { connect } from "node:net";
import { LineChannel } from "./line-channel.js";
import type { ToControl, ToWorker } from "./messages.js";

const RETRY_MS = 50;

export interface ControlLink {
  send(message: ToControl): void;
  close(): void;
}

/**
 * Keeps a worker connected to control, whichever process that is at the moment: a killed control is no reason to stop
 * serving, its successor hears `hello` and adopts the worker.
 */
export function linkToControl(
  socketPath: string,
  hello: () => ToControl,
  hear: (message: ToWorker, send: (message: ToControl) => void) => void,
): ControlLink {
  let channel: LineChannel<ToWorker, ToControl> | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const open = () => {
    const socket = connect(socketPath, () => own.send(hello()));
    const own = new LineChannel<ToWorker, ToControl>(
      socket,
      (message) => hear(message, (answer) => own.send(answer)),
      () => {
        channel = undefined;
        if (!closed) timer = setTimeout(open, RETRY_MS);
      },
    );
    channel = own;
  };
  open();
  return {
    send: (message) => channel?.send(message),
    close() {
      closed = true;
      clearTimeout(timer);
      channel?.end();
    },
  };
}
