import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** An upstream of node:http on a free loopback port. */
export interface HttpUpstream {
  /** As `upstream.nodes` takes it. */
  nodes: Record<string, number>;
  close(): void;
}

/** @param answer default: 200 "ok" to everything */
export async function httpUpstream(
  answer: RequestListener = (_, response) => response.end("ok"),
): Promise<HttpUpstream> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    nodes: { [`127.0.0.1:${(server.address() as AddressInfo).port}`]: 1 },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
