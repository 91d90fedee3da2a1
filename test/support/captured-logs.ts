import { PLUGIN_RUNTIMES } from "../../plugins/runtime.js";
import type { LogEntry } from "../../runtime/abi/delivery.js";
import { resolvedText } from "../../runtime/abi/environment.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import type { Resource } from "../../runtime/abi/resource.js";
import { systemClock } from "../../runtime/logging/batch/clock.js";
import { LogMetrics, type RouteSeries } from "../../runtime/logging/batch/log-metrics.js";
import { LogOutput } from "../../runtime/logging/log-output.js";
import type { LiveGeneration } from "../../runtime/proxy/host/contract.js";
import { HostedGenerations } from "../../runtime/proxy/host/generations.js";
import { Resources } from "../../runtime/proxy/host/resources.js";
import type { LogRecord, Recorded } from "../oracle/state.js";

/** Milliseconds for records that wait for the decoding of a body. */
const DRAIN_MS = 5_000;

/** `<priority>1 timestamp host app pid - - text` (spec "The syslog message has the shape"). */
const MESSAGE = /^<46>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S+ \S+ \d+ - - (.*)\n?$/s;

/** A generation whose loggers ship into memory; other resources are open as they are. */
export interface CapturingGeneration {
  generation: LiveGeneration;
  /** Ends it; the records that were shipped, by plugin, and of each plugin in order. */
  records(): Promise<LogRecord[]>;
}

/** The artifact as a running generation, with nothing behind its loggers but a list. */
export function capturing(artifact: Artifact): CapturingGeneration {
  const records: LogRecord[] = [];
  const resources = new CapturingResources(records);
  const generations = new HostedGenerations({ environment: {}, resources });
  generations.start(1, artifact);
  return {
    generation: generations.live,
    async records() {
      await generations.close(DRAIN_MS);
      return records.sort((a, b) => (a.plugin < b.plugin ? -1 : a.plugin > b.plugin ? 1 : 0));
    },
  };
}

/** Opens a list in the place of every destination. */
class CapturingResources extends Resources {
  readonly #records: LogRecord[];

  constructor(records: LogRecord[]) {
    super({
      secret: (reference) => resolvedText(reference, {}),
      report: (event, fields) => {
        throw new Error(`${event} ${JSON.stringify(fields)}`);
      },
      metrics: new MetricsRegistry(),
      worker: 0,
      spoolDirectory: undefined,
    });
    this.#records = records;
  }

  override retain(resources: readonly Resource[]): void {
    super.retain(
      resources.map((resource) => ({
        ...resource,
        open: (context) =>
          PLUGIN_RUNTIMES[resource.kind]?.openSink !== undefined
            ? new CapturingOutput(resource.kind, this.#records, context.report)
            : resource.open({ ...context, report: () => {} }),
      })),
    );
  }
}

class CapturingOutput extends LogOutput {
  readonly metrics = new LogMetrics(new MetricsRegistry(), "captured", systemClock);
  readonly #kind: string;
  readonly #records: LogRecord[];

  constructor(kind: string, records: LogRecord[], report: ConstructorParameters<typeof LogOutput>[0]) {
    super(report);
    this.#kind = kind;
    this.#records = records;
  }

  take(entry: LogEntry, _series: RouteSeries): void {
    this.#records.push(recordOf(this.#kind, entry));
  }

  async append(entry: LogEntry, series: RouteSeries): Promise<void> {
    this.take(entry, series);
  }

  admits(): boolean {
    return true;
  }

  limit(): void {}

  protected async close(): Promise<void> {
    this.metrics.close();
  }
}

function recordOf(plugin: string, { payload, key }: LogEntry): LogRecord {
  const text = plugin === "syslog" ? MESSAGE.exec(payload)?.[1] : payload;
  if (text === undefined) throw new Error(`not a syslog message: ${payload}`);
  return { plugin, key, record: parsed(text) };
}

/** Texts stay byte strings: JSON does not mind which characters its texts hold. */
function parsed(text: string): Recorded | string {
  return text.startsWith("{") ? (JSON.parse(text) as Recorded) : text;
}
