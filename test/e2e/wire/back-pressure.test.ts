import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { listening, startGateway } from "./gateway.js";

const MB = 1_048_576;
const PIECE = Buffer.alloc(MB, "0123456789abcdef");

describe("chunked bodies of 100 MB", () => {
  it("pass through in both directions at once", async () => {
    const size = 100 * MB;
    const upstream = await listening((socket) => {
      socket.removeAllListeners("data");
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      socket.on("data", (piece: Buffer) => {
        if (!socket.write(piece)) {
          socket.pause();
          socket.once("drain", () => socket.resume());
        }
      });
    });
    const gateway = await startGateway({ nodes: [upstream.port] });
    const client = connect(gateway.port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    await new Promise((resolve) => client.once("data", resolve));
    let received = 0;
    let tail = "";
    const done = new Promise<void>((resolve) => {
      client.on("data", (piece: Buffer) => {
        received += piece.length;
        tail = (tail + piece.toString("latin1")).slice(-5);
        if (tail === "0\r\n\r\n") resolve();
      });
    });
    for (let i = 0; i < size / MB; i++) {
      client.cork();
      client.write(`${MB.toString(16)}\r\n`);
      client.write(PIECE);
      const free = client.write("\r\n");
      client.uncork();
      if (!free) await new Promise((resolve) => client.once("drain", resolve));
    }
    client.write("0\r\n\r\n");
    await done;
    expect(received).toBeGreaterThan(size);
  });
});
