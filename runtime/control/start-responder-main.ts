/** Reports liveness, readiness and the reason while control is missing (`process/start-responder.ts`). */
import "../process/signals.js";
import "../process/crash-log.js";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { MetricFamily } from "../abi/metrics.js";
import { MetricsRegistry } from "../abi/metrics-registry.js";
import { isServing, type Serving } from "../process/launch-plan.js";
import { obeyLauncher } from "../process/launcher-link.js";
import type { ToResponder } from "../process/start-responder.js";
import { controlMissing, type Starting, startingAt, startingReason } from "../process/starting.js";
import { type HardenedServer, hardenedServer } from "./hardened-server.js";
import { observeWarnings, READY_HELP } from "./metrics/gateway-metrics.js";
import { metricsPage } from "./metrics/server.js";
import { type NotReady, readiness, sendJson, statusAnswer } from "./status.js";

/** `Retry-After` in seconds for clients of the admin API; a small configuration starts in one. */
const RETRY_AFTER = "1";
const END_MS = 500;

let starting: Starting = startingAt("settings");
let serving: Serving = { workers: 0, expected: 0, predecessor: false, stopping: false };
const servers: HardenedServer[] = [];

obeyLauncher(() => {
  for (const server of servers) server.close();
  for (const server of servers) server.closeIdleConnections();
  setTimeout(() => process.exit(0), END_MS).unref();
  if (process.connected) process.disconnect();
});

process.on("message", (message: ToResponder, handle) => {
  if (message.type === "stage") starting = message.starting;
  if (message.type === "serving") ({ serving } = message);
  if (message.type !== "listener") return;
  const server = serverFor(message);
  server.on("error", () => {});
  server.listen(handle);
  servers.push(server);
});

function serverFor({ kind, uri }: ToResponder & { type: "listener" }): HardenedServer {
  if (kind === "status") return hardenedServer(status);
  if (kind !== "metrics" || uri === undefined) return hardenedServer(refuse);
  const page = metricsPage({ uri: () => uri, collect: async () => families() });
  return hardenedServer((request, response) => {
    response.shouldKeepAlive = false;
    if (isServing(serving)) page(request, response);
    else refuse(request, response);
  });
}

/** Returns the metrics known without control, while requests are served. */
function families(): MetricFamily[] {
  const registry = new MetricsRegistry();
  registry.gauge("gw_ready", READY_HELP, {}).set(1);
  observeWarnings(
    registry,
    warnings().map(({ code }) => code),
  );
  return registry.snapshot();
}

function status(request: IncomingMessage, response: ServerResponse): void {
  answer(response, request.method, ...statusAnswer(request, ready));
}

/** Replies without details, as the allowed clients are not known yet. */
function refuse({ method }: IncomingMessage, response: ServerResponse): void {
  response.setHeader("Retry-After", RETRY_AFTER);
  answer(response, method, 503, { error_msg: "the gateway is starting" });
}

function ready(): ReturnType<typeof readiness> {
  if (isServing(serving)) return readiness([], { warnings: warnings() });
  const stopping = { code: "stopping", message: "the gateway is stopping" };
  return readiness([...(serving.stopping ? [stopping] : []), startingReason(starting)], { warnings: [] });
}

function warnings(): NotReady[] {
  return [controlMissing(starting), ...missingWorkers()];
}

/** Returns the warnings about missing workers; a predecessor reports its own. */
function missingWorkers(): NotReady[] {
  const { workers, expected, predecessor } = serving;
  if (predecessor || workers >= expected) return [];
  const message = `${expected - workers} of ${expected} workers do not serve`;
  return [{ code: "workers_missing", message, expected, serving: workers }];
}

function answer(response: ServerResponse, method: string | undefined, code: number, body: object): void {
  // The next request is for control.
  sendJson(response, method, code, body, { Connection: "close" });
}
