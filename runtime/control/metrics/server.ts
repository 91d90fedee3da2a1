import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Metric } from "prom-client";
import { messageOf } from "../../abi/error-message.js";
import type { MetricFamily, MetricSeries } from "../../abi/metrics.js";
import { takesCoding } from "../../http/codings.js";
import { log } from "../../process/log.js";
import { type HardenedServer, hardenedServer } from "../hardened-server.js";

interface Sample {
  metricName?: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Encodes families in the Prometheus text format, version 0.0.4. */
export async function metricsText(families: readonly MetricFamily[]): Promise<string> {
  // Loaded on demand: 83 files that would delay a start.
  const { Registry } = await import("prom-client");
  const registry = new Registry();
  for (const family of families) {
    const { name, help, type } = family;
    const values = family.series.flatMap((series) => samplesOf(family, series));
    const metric = { name, get: async () => ({ name, help, type, values }) };
    // The registry uses only these fields; its own metric classes would count, which workers have done already.
    registry.registerMetric(metric as unknown as Metric);
  }
  return registry.metrics();
}

function samplesOf({ name, buckets = [] }: MetricFamily, { labels, value, counts }: MetricSeries): Sample[] {
  if (counts === undefined) return [{ labels, value }];
  let below = 0;
  const samples: Sample[] = counts.map((count, i) => {
    below += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: buckets[i] ?? "+Inf" }, value: below };
  });
  samples.push({ metricName: `${name}_sum`, labels, value });
  samples.push({ metricName: `${name}_count`, labels, value: below });
  return samples;
}

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
