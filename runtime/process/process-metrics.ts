import { readdir, readFile } from "node:fs/promises";
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from "node:perf_hooks";
import { getHeapSpaceStatistics } from "node:v8";
import type { Histogram, Labels, Metrics } from "../abi/metrics.js";

/** Gauges of sizes, by their names in `/proc/self/status` (proc(5)), in kB. */
const SIZES: readonly (readonly [field: string, name: string, help: string])[] = [
  ["VmRSS", "process_resident_memory_bytes", "Resident memory size in bytes."],
  ["VmSize", "process_virtual_memory_bytes", "Virtual memory size in bytes."],
  ["VmData", "process_heap_bytes", "Process heap size in bytes."],
];
const LAG = "nodejs_eventloop_lag_";
/** Resolution of the measurement of the event loop in ms, as in prom-client. */
const RESOLUTION_MS = 10;

/**
 * Default metrics of prom-client by its names, for dashboards of Node; its own classes would load 83 files.
 * Active handles and requests are omitted: Node shows them only by undocumented functions, resources are the
 * same. Pauses for garbage collection are `gw_gc_pause_seconds`.
 */
export class ProcessMetrics {
  readonly #metrics: Metrics;
  readonly #labels: Labels;
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #types = new Set<string>();
  readonly #leave: () => void;
  /** CPU time in microseconds that the counters already include. */
  #reported = { user: 0, system: 0 };

  /** @param name of the process in the gateway: "control", "worker-0", "captcha" */
  constructor(metrics: Metrics, name: string) {
    this.#metrics = metrics;
    this.#labels = { process: name };
    this.#delays.enable();
    this.#leave = metrics.onCollect(() => this.#read());
    const started = Date.now() / 1_000 - process.uptime();
    const help = "Start time of the process since unix epoch in seconds.";
    this.#set("process_start_time_seconds", help, started);
    const versioned = { ...this.#labels, version: process.version };
    metrics.gauge("nodejs_version_info", "Version of Node; always 1.", versioned).set(1);
  }

  close(): void {
    this.#leave();
    this.#delays.disable();
  }

  async #read(): Promise<void> {
    this.#readTimes();
    this.#readHeap();
    this.#readResources();
    this.#readDelays();
    const asked = performance.now();
    await new Promise((resolve) => setImmediate(resolve));
    this.#set(`${LAG}seconds`, "Lag of event loop in seconds.", (performance.now() - asked) / 1_000);
    await Promise.all([this.#readSizes(), this.#readDescriptors()]);
  }

  #set(name: string, help: string, value: number): void {
    this.#metrics.gauge(name, help, this.#labels).set(value);
  }

  #readTimes(): void {
    const { user, system } = process.cpuUsage();
    const more = { user: (user - this.#reported.user) / 1e6, system: (system - this.#reported.system) / 1e6 };
    this.#reported = { user, system };
    const add = (name: string, help: string, seconds: number) =>
      this.#metrics.counter(name, help, this.#labels).add(seconds);
    add("process_cpu_user_seconds_total", "Total user CPU time spent in seconds.", more.user);
    add("process_cpu_system_seconds_total", "Total system CPU time spent in seconds.", more.system);
    const all = more.user + more.system;
    add("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", all);
  }

  #readHeap(): void {
    const { heapTotal, heapUsed, external } = process.memoryUsage();
    this.#set("nodejs_heap_size_total_bytes", "Process heap size from Node.js in bytes.", heapTotal);
    this.#set("nodejs_heap_size_used_bytes", "Process heap size used from Node.js in bytes.", heapUsed);
    this.#set("nodejs_external_memory_bytes", "Node.js external memory size in bytes.", external);
    for (const space of getHeapSpaceStatistics()) {
      const labels = { ...this.#labels, space: space.space_name.replace(/_space$/, "") };
      const set = (kind: string, bytes: number) => {
        const help = `Process heap space size ${kind} from Node.js in bytes.`;
        this.#metrics.gauge(`nodejs_heap_space_size_${kind}_bytes`, help, labels).set(bytes);
      };
      set("total", space.space_size);
      set("used", space.space_used_size);
      set("available", space.space_available_size);
    }
  }

  #readResources(): void {
    const counts = new Map<string, number>([...this.#types].map((type) => [type, 0]));
    const resources = process.getActiveResourcesInfo();
    for (const type of resources) counts.set(type, (counts.get(type) ?? 0) + 1);
    for (const [type, count] of counts) {
      this.#types.add(type);
      const help = "Active resources that keep the event loop alive, by type.";
      this.#metrics.gauge("nodejs_active_resources", help, { ...this.#labels, type }).set(count);
    }
    this.#set("nodejs_active_resources_total", "Total number of active resources.", resources.length);
  }

  #readDelays(): void {
    const { count, min, max, mean, stddev } = this.#delays;
    if (count === 0) return;
    const set = (part: string, help: string, ns: number) =>
      this.#set(`${LAG}${part}_seconds`, help, Number.isFinite(ns) ? ns / 1e9 : 0);
    set("min", "The minimum recorded event loop delay.", min);
    set("max", "The maximum recorded event loop delay.", max);
    set("mean", "The mean of the recorded event loop delays.", mean);
    set("stddev", "The standard deviation of the recorded event loop delays.", stddev);
    for (const share of [50, 90, 99]) {
      const help = `The ${share}th percentile of the recorded event loop delays.`;
      set(`p${share}`, help, this.#delays.percentile(share));
    }
    this.#delays.reset();
  }

  /** Reads sizes from /proc on Linux; elsewhere Node reports only resident memory. */
  async #readSizes(): Promise<void> {
    const status = await readFile("/proc/self/status", "latin1").catch(() => undefined);
    for (const [field, name, help] of SIZES) {
      const kB = status?.match(new RegExp(`^${field}:\\s+(\\d+) kB`, "m"))?.[1];
      if (kB !== undefined) this.#set(name, help, Number(kB) * 1_024);
      else if (field === "VmRSS") this.#set(name, help, process.memoryUsage.rss());
    }
  }

  /** Reads the numbers of descriptors, on Linux only. */
  async #readDescriptors(): Promise<void> {
    const open = await readdir("/proc/self/fd").catch(() => undefined);
    // One of them is the folder that is read.
    if (open !== undefined)
      this.#set("process_open_fds", "Number of open file descriptors.", open.length - 1);
    const limits = await readFile("/proc/self/limits", "latin1").catch(() => undefined);
    const most = limits?.match(/^Max open files\s+(\d+)/m)?.[1];
    if (most !== undefined)
      this.#set("process_max_fds", "Maximum number of open file descriptors.", Number(most));
  }
}

/** Upper bounds in s: a scavenge takes about a millisecond, a full collection of a large heap a tenth of a second. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const HELP = "Pauses for garbage collection, in seconds.";
const KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weak_callbacks",
};

export class GcPauses {
  readonly #observer: PerformanceObserver;
  readonly #pauses: ReadonlyMap<number, Histogram>;

  constructor(metrics: Metrics) {
    this.#pauses = new Map(
      Object.entries(KINDS).map(([number, kind]) => [
        Number(number),
        metrics.histogram("gw_gc_pause_seconds", HELP, { kind }, BUCKETS),
      ]),
    );
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#took(entry);
    });
    this.#observer.observe({ entryTypes: ["gc"] });
  }

  close(): void {
    this.#observer.disconnect();
  }

  #took(entry: PerformanceEntry): void {
    const { detail, duration } = entry as PerformanceEntry & { detail: { kind: number } };
    this.#pauses.get(detail.kind)?.observe(duration / 1_000);
  }
}

/** Duration in ms of a pause of the event loop that counts. */
const LONG_MS = 50;

/** Pauses of this process's event loop, as metrics. A timer of libuv measures them: no cost for requests. */
export class LoopLag {
  /**
   * Not shared with `ProcessMetrics`: each reader resets what it read, at other times in a gateway of one
   * process. Sharing saves little: an idle process takes 0.26 % of a CPU with one and 0.27 with both.
   */
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #metrics: Metrics;
  readonly #worker: string;

  constructor(metrics: Metrics, worker: number) {
    this.#metrics = metrics;
    this.#worker = String(worker);
    this.#delays.enable();
  }

  record(): void {
    const labels = { worker: this.#worker };
    const longest = Math.max(0, this.#delays.max / 1e6 - RESOLUTION_MS);
    this.#delays.reset();
    const lag = "Longest pause of a worker's event loop since the last report.";
    this.#metrics.gauge("gw_event_loop_lag_seconds", lag, labels).set(longest / 1000);
    const long = "Reports of workers with a pause of their event loop above 50 ms.";
    this.#metrics.counter("gw_event_loop_paused_reports_total", long, labels).add(longest > LONG_MS ? 1 : 0);
  }
}
