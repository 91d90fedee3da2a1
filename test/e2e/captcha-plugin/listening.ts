import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** @throws Error when nothing accepts on the port for ten seconds */
export async function untilListening(port: number): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true));
      socket.on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (isOpen) return;
    await wait(50);
  }
  throw new Error(`nothing listens on ${port}`);
}
