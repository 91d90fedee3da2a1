import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { freePort } from "../../../support/ports.js";

/** A request to the service as a browser sent it. */
interface Asked {
  path: string;
  body: string;
}

/** Replacement of a response: the connection breaks, or an error arrives. */
type Fault = "cut" | { status: number; error: string };

/** Proxy in front of the service: forwards and records all requests, and fails those it should. */
export interface Front {
  readonly port: number;
  /** Requests in the order of their completion. */
  readonly asked: readonly Asked[];
  /** Selects the requests that fail from now on; undefined: none. */
  fail(fault: ((path: string) => Fault | undefined) | undefined): void;
  close(): Promise<void>;
}

/** @param port port of the service, on loopback */
export async function startFront(port: number): Promise<Front> {
  const asked: Asked[] = [];
  let faultOf: (path: string) => Fault | undefined = () => undefined;

  async function handOn(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of from) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const path = (from.url ?? "").split("?")[0] ?? "";
    asked.push({ path, body: body.toString("utf8") });
    const fault = faultOf(path);
    if (fault === "cut") {
      to.destroy();
      return;
    }
    if (fault !== undefined) {
      to.writeHead(fault.status, { "Content-Type": "application/json" });
      to.end(JSON.stringify({ error: fault.error, retryable: true }));
      return;
    }
    const { method, url, rawHeaders } = from;
    const onward = request({ host: "127.0.0.1", port, method, path: url, headers: rawHeaders, agent: false });
    onward.on("response", (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(to);
    });
    onward.on("error", () => to.destroy());
    onward.end(body);
  }

  const server = createServer((from, to) => {
    handOn(from, to).catch(() => to.destroy());
  });
  const own = await freePort();
  await new Promise<void>((resolve) => server.listen(own, "127.0.0.1", resolve));
  return {
    port: own,
    asked,
    fail: (fault) => {
      faultOf = fault ?? (() => undefined);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
