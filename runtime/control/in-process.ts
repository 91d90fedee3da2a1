import type { Serving } from "../process/serving.js";
import type { Workers } from "./workers.js";

/** Joins a worker that lives in control's own process (`workers: 0`). It cannot be replaced, only waited for. */
export function attachInProcess(workers: Workers, serving: Serving): void {
  const attached = workers.attach({
    // A turn of the event loop between the two, as a socket would have.
    send: (message) => setImmediate(() => serving.hear(message, attached.hear)),
    replace: () => {},
  });
  attached.hear(serving.hello());
}
