import type { Artifact } from "../../runtime/abi/generation.js";
import type { LiveGeneration } from "../../runtime/host/contract.js";
import { HostedGenerations } from "../../runtime/host/generations.js";
import type { Destination, LogEntry, Sink } from "../../runtime/log/contract.js";
import { type OpenSink, SINKS } from "../../runtime/plugins/sinks.js";
import type { LogRecord, Recorded } from "../oracle/state.js";

/** Milliseconds for delivering to a sink that takes everything at once. */
const DRAIN_MS = 1_000;

/** `<priority>1 timestamp host app pid - - text` (spec "The syslog message has the shape"). */
const MESSAGE = /^<46>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S+ \S+ \d+ - - (.*)\n?$/s;

/** A generation whose loggers ship into memory. */
export interface CapturingGeneration {
  generation: LiveGeneration;
  /** Ends it; the records that were shipped, by plugin, and of each plugin in order. */
  records(): Promise<LogRecord[]>;
}

/** The artifact as a running generation, the destinations of its loggers replaced. */
export function capturing(artifact: Artifact): CapturingGeneration {
  const records: LogRecord[] = [];
  const open: OpenSink = (destination) => capturingSink(destination, records);
  const sinks = SINKS as Record<string, OpenSink>;
  for (const plugin of ["broker-logger", "syslog"]) sinks[plugin] = open;
  const generations = new HostedGenerations({ environment: {} });
  generations.start(1, artifact);
  return {
    generation: generations.live,
    async records() {
      await generations.close(DRAIN_MS);
      return records.sort((a, b) => (a.plugin < b.plugin ? -1 : a.plugin > b.plugin ? 1 : 0));
    },
  };
}

function capturingSink({ kind }: Destination, records: LogRecord[]): Sink {
  return {
    async send(entries) {
      records.push(...entries.map((entry) => recordOf(kind, entry)));
    },
    async close() {},
  };
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
