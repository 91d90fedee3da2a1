import { connect } from "node:net";
import { until } from "../../support/patience.js";

/** Waits until a server accepts connections on the port. */
export async function untilListening(port: number): Promise<void> {
  await until(() => accepts(port));
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
