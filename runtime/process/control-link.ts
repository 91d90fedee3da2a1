import { connect } from "node:net";
import { LineChannel } from "./line-channel.js";
import type { ToControl, ToWorker } from "./messages.js";

const RETRY_MS = 50;

export interface ControlLink<Out = ToControl> {
  /** @returns false while there is no control */
  send(message: Out): boolean;
  close(): void;
}

/**
 * A killed control is no reason to stop serving: its successor receives `hello` and adopts the worker.
 * @param away called whenever there is no control
 */
export function linkToControl<In = ToWorker, Out = ToControl>(
  socketPath: string,
  hello: () => Out,
  hear: (message: In, send: (message: Out) => void) => void,
  away: () => void = () => {},
): ControlLink<Out> {
  let channel: LineChannel<In, Out> | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const open = () => {
    const socket = connect(socketPath, () => own.send(hello()));
    const own = new LineChannel<In, Out>(
      socket,
      (message) => hear(message, (answer) => own.send(answer)),
      () => {
        channel = undefined;
        if (closed) return;
        timer = setTimeout(open, RETRY_MS);
        away();
      },
    );
    channel = own;
  };
  open();
  return {
    send: (message) => channel?.send(message) ?? false,
    close() {
      closed = true;
      clearTimeout(timer);
      channel?.end();
    },
  };
}
