import { type HardenedServer, ownServer } from "./hardened-server.js";

/** A reason for programs (`code` and what stands beside it) and for people. */
export interface NotReady {
  code: string;
  message: string;
  [detail: string]: unknown;
}

/** Codes of what is impaired while requests are served. */
export const WARNINGS = [
  ...["certificate_file", "control_missing", "last_known_good", "launcher_silent", "no_generation"],
  "not_listening",
  ...["reload_refused", "route_quarantined", "service_down", "starting", "workers_behind", "workers_missing"],
  "write_failed",
] as const;

export interface StatusParts {
  /** Why no requests are served, or will soon be none; none: the gateway is ready. */
  reasons: () => readonly NotReady[];
  /** Impairments while requests are served. */
  warnings: () => readonly NotReady[];
  /** What `/status/ready` adds: workers and their generation. */
  details: () => object;
}

/** `/status/live` (and `/status`) says that the gateway is there, `/status/ready` that it serves what it was told to serve. */
export function statusServer({ reasons, warnings, details }: StatusParts): HardenedServer {
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
    const rest = { warnings: warnings(), ...details() };
    return first === undefined
      ? [200, { status: "ok", ...rest }]
      : [503, { status: "error", error: first.message, reasons: why, ...rest }];
  }
}
