import type { Socket } from "node:net";
import { expect } from "vitest";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import type { PipelineModule } from "../../../runtime/abi/route-module.js";
import { type GatewaySettings, GET, listening, startGateway } from "./gateway.js";

/** Long enough for a sent byte to arrive over the loopback. */
export const MOMENT = 60;

export interface Seen {
  phase: "acknowledge" | "log";
  status: number;
  bytesSent: number;
  latency: number;
  uri: string;
}

/** A route that delays the end of each response until `release` or `refuse` of its turn. */
export function holding(more: Omit<PipelineModule, "id"> = {}) {
  const seen: Seen[] = [];
  const turns: { release: () => void; refuse: (reason: Error) => void }[] = [];
  const see = (phase: Seen["phase"], x: Exchange) =>
    seen.push({ phase, status: x.response.status, bytesSent: x.bytesSent, latency: x.latency, uri: x.uri });
  const module: Omit<PipelineModule, "id"> = {
    ...more,
    acknowledge(x) {
      see("acknowledge", x);
      x.delayEndOfResponse(new Promise<void>((release, refuse) => turns.push({ release, refuse })));
    },
    log: (x) => void see("log", x),
  };
  const turn = async (n = 0) => {
    await expect.poll(() => turns.length).toBeGreaterThan(n);
    return turns[n] as (typeof turns)[number];
  };
  return { module, seen, turn, settings: { module } satisfies GatewaySettings };
}

/** Everything that comes on a connection. */
export function collect(socket: NodeJS.ReadableStream): () => string {
  let text = "";
  socket.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  return () => text;
}

/** An upstream that sends the next piece when the client has received the last one. */
export async function stepping(pieces: string[], settings: GatewaySettings) {
  let upstream: Socket | undefined;
  const { port } = await listening((socket) => {
    upstream = socket;
    socket.write(pieces[0] ?? "");
  });
  const gateway = await startGateway({ nodes: [port], ...settings });
  const client = await gateway.client();
  const received = collect(client.socket);
  await client.send(GET);
  for (const [i, piece] of pieces.slice(1).entries()) {
    const before = (pieces[i] ?? "").split("\r\n\r\n").at(-1) ?? "";
    await expect.poll(received).toContain(before);
    upstream?.write(piece);
  }
  return { gateway, client, received };
}

export const answer =
  (...writes: string[]) =>
  () => ({ writes });
export const own = (status: number, body: string) => ({ access: (x: Exchange) => x.respond(status, body) });
