import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One call of the verification endpoint as it arrived. */
export interface VerifyCall {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
}

/** Reaction to a call: a response, silence, or an aborted connection. */
export type VerifyScript =
  | { status?: number; json: Record<string, unknown>; headers?: Record<string, string> }
  | { status?: number; text: string; headers?: Record<string, string> }
  | "silence"
  | "cut";

/** Response of the specification for a valid token. */
export const verified = (siteKey: string, requestId = "req_1", status = 200): VerifyScript => ({
  status,
  json: { success: true, request_id: requestId, site_key: siteKey },
});
export const failed = (error: string, status = 200): VerifyScript => ({
  status,
  json: { success: false, error },
});

/**
 * A captcha service of node:http whose results a test scripts. Without a script a token passes once for the
 * site key of the path. Later calls yield `invalid_jwt`, except those with the same idempotency key.
 */
export class CaptchaVerifier {
  readonly calls: VerifyCall[] = [];
  /** Script of a call; undefined: as described above. */
  script: (call: VerifyCall, number: number) => VerifyScript | undefined = () => undefined;
  readonly #used = new Map<string, string>();
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens on a free loopback port; after a stop, on the same port. */
  async start(): Promise<this> {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://x");
      const call: VerifyCall = {
        method: request.method ?? "",
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: request.headers,
      };
      const number = this.calls.push(call);
      this.#answer(response, this.script(call, number) ?? this.#byUse(call));
    });
    this.#server = server;
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  #byUse({ path, query }: VerifyCall): VerifyScript {
    const { jwt = "", idempotency_key: mark = "" } = query;
    const siteKey = path.split("/").at(-2) ?? "";
    if (jwt === "") return failed("missing_required_params", 400);
    const before = this.#used.get(jwt);
    if (before !== undefined && before !== mark) return failed("invalid_jwt");
    this.#used.set(jwt, mark);
    return verified(siteKey);
  }

  #answer(response: ServerResponse, script: VerifyScript): void {
    if (script === "silence") return;
    if (script === "cut") {
      response.destroy();
      return;
    }
    const body = "json" in script ? JSON.stringify(script.json) : script.text;
    response.writeHead(script.status ?? 200, { "Content-Type": "application/json", ...script.headers });
    response.end(body);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
}
