import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type ServerOptions } from "node:https";
import { gunzipSync } from "node:zlib";
import { decompress } from "fzstd";
import { KillableServer } from "./killable-server.js";

export interface StoredRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  /** Bytes as received. */
  readonly body: Buffer;
  readonly text: string;
}

/** Reaction of a store to a request; it writes the response, or none. */
export type StoreAnswer = (request: StoredRequest, response: ServerResponse) => void;

/** Accepts everything. */
const takes: StoreAnswer = (_, response) => void response.writeHead(204).end();
export const answers =
  (status: number, body = "", headers: Record<string, string> = {}): StoreAnswer =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

/**
 * An HTTP server that stores its requests and responds as the test scripts: with the next entry of a list,
 * then with `usual`.
 */
export class LogStore extends KillableServer {
  readonly requests: StoredRequest[] = [];
  usual: StoreAnswer = takes;
  readonly next: StoreAnswer[] = [];

  private constructor(tls?: ServerOptions) {
    const listener = (request: IncomingMessage, response: ServerResponse) => this.#take(request, response);
    super(() => (tls ? createSecureServer(tls, listener) : createServer(listener)));
  }

  static async start(tls?: ServerOptions): Promise<LogStore> {
    const store = new LogStore(tls);
    await store.start();
    return store;
  }

  /** Bodies of all requests, decoded. */
  get texts(): string[] {
    return this.requests.map(({ text }) => text);
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("error", () => {});
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const body = Buffer.concat(pieces);
      const plain = decoded(body, headers["content-encoding"]);
      const stored = { method, url, headers, body, text: plain.toString("utf8") };
      this.requests.push(stored);
      (this.next.shift() ?? this.usual)(stored, response);
    });
  }
}

function decoded(body: Buffer, coding: string | undefined): Buffer {
  if (coding === "gzip") return gunzipSync(body);
  return coding === "zstd" ? Buffer.from(decompress(body)) : body;
}
