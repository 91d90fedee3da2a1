import { type OwnServer, ownServer } from "./own-listener.js";

/** A reason for programs (`code` and what stands beside it) and for people. */
export interface NotReady {
  code: string;
  message: string;
  [detail: string]: unknown;
}

export interface StatusParts {
  /** Why the gateway is not ready; none: it is. */
  reasons: () => readonly NotReady[];
  /** What `/status/ready` adds: workers and their generation. */
  details: () => object;
}

/** `/status/live` (and `/status`) says that the gateway is there, `/status/ready` that it serves what it was told to serve. */
export function statusServer({ reasons, details }: StatusParts): OwnServer {
  return ownServer((request, response) => {
    const path = (request.url ?? "/").split("?", 1)[0];
    const [status, body] = answer(path);
    const text = `${JSON.stringify(body)}\n`;
    response.writeHead(status, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
    });
    response.end(request.method === "HEAD" ? "" : text);
  });

  function answer(path: string | undefined): [status: number, body: object] {
    if (path === "/status" || path === "/status/live") return [200, { status: "ok" }];
    if (path !== "/status/ready") return [404, { error_msg: "not found" }];
    const why = reasons();
    const [first] = why;
    return first === undefined
      ? [200, { status: "ok", ...details() }]
      : [503, { status: "error", error: first.message, reasons: why, ...details() }];
  }
}
