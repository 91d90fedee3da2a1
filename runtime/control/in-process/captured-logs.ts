import "../../../plugins/runtime.js";
import type { LogEntry } from "../../abi/delivery.js";
import { resolvedText } from "../../abi/environment.js";
import type { Artifact } from "../../abi/generation.js";
import { MetricsRegistry } from "../../abi/metrics-registry.js";
import { hasSink, recordIn } from "../../abi/plugin-runtime.js";
import type { ResourceContext, SharedResource } from "../../abi/resource.js";
import { systemClock } from "../../logging/batch/clock.js";
import { LogMetrics, type RouteSeries } from "../../logging/batch/log-metrics.js";
import { LogOutput } from "../../logging/log-output.js";
import type { LiveGeneration } from "../../proxy/host/contract.js";
import { HostedGenerations } from "../../proxy/host/generations.js";
import { SharedResources } from "../../proxy/host/shared-resources.js";
import type { ShippedRecord } from "./exchange-spec.js";

/** Timeout in ms for records that wait for a body to be decoded. */
const DRAIN_MS = 5_000;

/** Header `<priority>1 timestamp host app pid - - text` of a syslog message (RFC 5424). */
const MESSAGE = /^<\d{1,3}>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S+ \S+ \d+ - - (.*)\n?$/s;

/** Generation whose loggers deliver to memory; other shared resources are real. */
export interface CapturingGeneration {
  generation: LiveGeneration;
  /** Ends the generation and returns the delivered records by plugin, in order within each. */
  records(): Promise<ShippedRecord[]>;
}

export interface CaptureOptions {
  /** Variables for `${{VAR}}` in nodes; default: none. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Resolves the reference of a secret; default: by `environment`. */
  secret?: ResourceContext["secret"];
  /** Receives faults of log outputs; default: they are thrown. */
  report?: ResourceContext["report"];
}

export function capturing(artifact: Artifact, options: CaptureOptions = {}): CapturingGeneration {
  const records: ShippedRecord[] = [];
  const { environment = {} } = options;
  const resources = new CapturingResources(records, options);
  const generations = new HostedGenerations({ environment, resources });
  generations.start(1, artifact);
  return {
    generation: generations.live,
    async records() {
      await generations.close(DRAIN_MS);
      return records.sort((a, b) => (a.plugin < b.plugin ? -1 : a.plugin > b.plugin ? 1 : 0));
    },
  };
}

function thrown(event: string, fields: Parameters<ResourceContext["report"]>[1]): never {
  throw new Error(`${event} ${JSON.stringify(fields)}`);
}

class CapturingResources extends SharedResources {
  readonly #records: ShippedRecord[];

  constructor(records: ShippedRecord[], { environment = {}, secret, report = thrown }: CaptureOptions) {
    super({
      secret: secret ?? ((reference) => resolvedText(reference, environment)),
      report,
      metrics: new MetricsRegistry(),
      worker: 0,
      spoolDirectory: undefined,
    });
    this.#records = records;
  }

  override retain(resources: readonly SharedResource[]): void {
    super.retain(
      resources.map((resource) => ({
        ...resource,
        open: (context) =>
          hasSink(resource.kind)
            ? new CapturingOutput(resource.kind, this.#records, context.report)
            : resource.open({ ...context, report: () => {} }),
      })),
    );
  }
}

class CapturingOutput extends LogOutput {
  readonly metrics = new LogMetrics(new MetricsRegistry(), "captured", systemClock);
  readonly #kind: string;
  readonly #records: ShippedRecord[];

  constructor(kind: string, records: ShippedRecord[], report: ConstructorParameters<typeof LogOutput>[0]) {
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

/** Returns the record in an entry of a logger. */
export function recordOf(plugin: string, { payload, key }: LogEntry): ShippedRecord {
  return { plugin, key, record: parsed(MESSAGE.exec(payload)?.[1] ?? recordIn(plugin, payload)) };
}

/** Parses a record; its texts stay byte strings, as JSON accepts any characters. */
function parsed(text: string): ShippedRecord["record"] {
  return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : text;
}
