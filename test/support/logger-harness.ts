import type { Logger, Sink } from "../../runtime/abi/delivery.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import { registerRuntime } from "../../runtime/abi/plugin-runtime.js";
import type { OpenResource, ResourceContext } from "../../runtime/abi/resource.js";
import { makeLogger } from "../../runtime/logging/logger.js";
import type { LoggerSettings } from "../../runtime/logging/logger-settings.js";
import { BATCH } from "./log-harness.js";

export interface TestDestination {
  readonly host: string;
}

const SETTINGS: LoggerSettings<TestDestination> = {
  key: "k1",
  destinationId: "d1",
  destination: { host: "logs.example" },
  batch: { ...BATCH, batchMaxSize: 1 },
  delivery: "memory",
  ack: "log",
  redact: { headers: ["authorization"], query: ["jwt"] },
  recordId: false,
};

/** Sink that the next logger opens. */
let sinkToOpen: Sink | undefined;
registerRuntime("test-logger", {
  openSink() {
    if (sinkToOpen === undefined) throw new Error("no sink to open");
    return sinkToOpen;
  },
});

/** A logger with an open resource, over a sink of the test. */
export function openedLogger(
  sink: Sink,
  settings: Partial<LoggerSettings<TestDestination>> = {},
  spoolDirectory?: string,
) {
  const reports: { event: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const metrics = new MetricsRegistry();
  const context: ResourceContext = {
    secret: () => undefined,
    report: (event, fields) => reports.push({ event, fields }),
    metrics,
    worker: 0,
    spoolDirectory,
  };
  const entry = (_: unknown, record: string) => ({ payload: record });
  const logger: Logger = makeLogger("test-logger", { ...SETTINGS, ...settings }, entry);
  sinkToOpen = sink;
  const opened: OpenResource = logger.resource.open(context);
  logger.resource.use(opened);
  return { logger, opened, reports, metrics };
}
