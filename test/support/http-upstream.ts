import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";

/** An upstream of node:http on a free loopback port. */
export interface HttpUpstream {
  /** Nodes in the form of `upstream.nodes`. */
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

/** Starts an upstream before the first test of a file and stops it after the last. */
export function useUpstream(answer?: RequestListener): Pick<HttpUpstream, "nodes"> {
  let upstream: HttpUpstream;
  beforeAll(async () => {
    upstream = await httpUpstream(answer);
  });
  afterAll(() => upstream.close());
  return {
    get nodes() {
      return upstream.nodes;
    },
  };
}
