import { type OwnServer, ownServer } from "./own-listener.js";

export interface StatusParts {
  /** Why the gateway is not ready, or undefined. */
  notReady: () => string | undefined;
  /** What `/status/ready` adds: workers and their generation. */
  details: () => object;
}

/** `/status` says that the gateway is there, `/status/ready` that it serves what it was told to serve. */
export function statusServer({ notReady, details }: StatusParts): OwnServer {
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
    if (path === "/status") return [200, { status: "ok" }];
    if (path !== "/status/ready") return [404, { error_msg: "not found" }];
    const error = notReady();
    return error === undefined
      ? [200, { status: "ok", ...details() }]
      : [503, { status: "error", error, ...details() }];
  }
}
