import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { freePort } from "../../../support/ports.js";

/** A request to the service, as it came from a browser. */
export interface Asked {
  path: string;
  body: string;
}

/** What happens to a request in place of being handed on: the connection breaks, or this answer comes. */
export type Fault = "cut" | { status: number; error: string };

/** What stands before the service: hands everything on, keeps what was asked, and fails where it is told to. */
export interface Front {
  readonly port: number;
  /** In the order in which they came whole. */
  readonly asked: readonly Asked[];
  /** Which requests fail from now on; undefined: none. */
  fail(fault: ((path: string) => Fault | undefined) | undefined): void;
  close(): Promise<void>;
}

/** @param port of the service, on loopback */
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
