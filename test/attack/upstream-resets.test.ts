import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BodyFilter, Exchange } from "../../runtime/abi/exchange.js";
import { GET, startGateway } from "../e2e/wire/gateway.js";

const LONG = process.env["GWC_ATTACK"] === "long";
/** Number of tries for each offset: a reset may appear as an end, depending on a race with the last bytes. */
const ROUNDS = LONG ? 10 : 1;

/**
 * Sends `bytes` and resets the connection at once or after `behindMs`, so that the client may read both
 * together.
 */
async function resetting(bytes: string, behindMs: number): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(bytes, "latin1", () => {
        if (behindMs === 0) socket.resetAndDestroy();
        else setTimeout(() => socket.resetAndDestroy(), behindMs);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const BODY = "what was sent before the reset came";
const FRAMINGS: [name: string, head: string, body: string][] = [
  ["ended by the connection", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", BODY],
  ["with a length", `HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n`, BODY],
  [
    "in chunks",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
  ],
];
const UNCHANGED: BodyFilter = { apply: (text) => text, maxBytes: 1 << 20, oversize: "refuse" };
const FILTER = { headerFilter: (x: Exchange) => x.response.filterBody(UNCHANGED) };

describe.each(FRAMINGS)("a body %s that is reset at any offset", (name, head, body) => {
  // A body that ends with the connection is never complete after a reset; others are once all of it has
  // arrived.
  const offsets = Array.from(
    { length: name === "ended by the connection" ? body.length + 1 : body.length },
    (_, i) => i,
  );

  it.each([
    ["passed", undefined],
    ["held for a filter", FILTER],
  ])("an upstream body that is reset never reaches the client as complete: %s", async (_mode, module) => {
    const taken: string[] = [];
    for (const offset of offsets.flatMap((at) => new Array<number>(ROUNDS).fill(at))) {
      for (const behindMs of [0, 2]) {
        const port = await resetting(head + body.slice(0, offset), behindMs);
        const gateway = await startGateway({
          nodes: [port],
          table: { retries: 0 },
          ...(module && { module }),
        });
        const client = await gateway.client();
        await client.send(GET);
        const got = await client.response("GET").catch(() => undefined);
        if (got !== undefined && got.status !== 502)
          taken.push(`offset ${offset}: ${got.status} ${got.body}`);
        await gateway.server.close(0);
      }
    }
    expect(taken).toEqual([]);
  });
});
