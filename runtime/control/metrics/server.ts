import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { messageOf } from "../../abi/error-message.js";
import type { MetricFamily } from "../../abi/metrics.js";
import { takesCoding } from "../../http/accepted-codings.js";
import { log } from "../../process/log.js";
import { type HardenedServer, hardenedServer } from "../hardened-server.js";
import { CONTENT_TYPE, metricsText } from "./text.js";

export interface MetricsParts {
  uri: () => string;
  collect: () => Promise<MetricFamily[]>;
}

/** Server of the page for Prometheus. It requires no key, as usual, and so has an address of its own. */
export const metricsServer = (parts: MetricsParts): HardenedServer => hardenedServer(metricsPage(parts));

export function metricsPage(parts: MetricsParts): RequestListener {
  return (request, response) => {
    void answer(parts, request, response).catch((error: unknown) => {
      log("metrics_failed", { error: messageOf(error) });
      if (!response.headersSent) plain(response, 500, "internal error");
      else response.destroy();
    });
  };
}

async function answer(
  { uri, collect }: MetricsParts,
  { url = "/", method, headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (url.split("?", 1)[0] !== uri()) return plain(response, 404, "not found");
  if (method !== "GET" && method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return plain(response, 405, "not allowed");
  }
  const text = await metricsText(await collect());
  const isZipped = takesCoding(String(headers["accept-encoding"] ?? ""), "gzip");
  const body = isZipped ? await promisify(gzip)(text) : Buffer.from(text);
  response.writeHead(200, {
    "Content-Type": CONTENT_TYPE,
    "Content-Length": body.length,
    Vary: "Accept-Encoding",
    ...(isZipped && { "Content-Encoding": "gzip" }),
  });
  response.end(method === "HEAD" ? undefined : body);
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "Content-Type": "text/plain", "Content-Length": text.length + 1 });
  response.end(`${text}\n`);
}
