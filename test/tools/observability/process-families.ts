import type { Family } from "./families.js";

const gauge = <const L extends readonly string[]>(help: string, ...more: L) =>
  ({ type: "gauge", help, labels: ["process", ...more] }) as const;
const counter = (help: string) => ({ type: "counter", help, labels: ["process"] }) as const;

/** Metrics of each process, by the names of prom-client's defaults. */
export const PROCESS_FAMILIES = {
  process_cpu_user_seconds_total: counter("Total user CPU time spent in seconds."),
  process_cpu_system_seconds_total: counter("Total system CPU time spent in seconds."),
  process_cpu_seconds_total: counter("Total user and system CPU time spent in seconds."),
  process_start_time_seconds: gauge("Start time of the process since unix epoch in seconds."),
  process_resident_memory_bytes: gauge("Resident memory size in bytes."),
  process_virtual_memory_bytes: gauge("Virtual memory size in bytes."),
  process_heap_bytes: gauge("Process heap size in bytes."),
  process_open_fds: gauge("Number of open file descriptors."),
  process_max_fds: gauge("Maximum number of open file descriptors."),
  nodejs_version_info: gauge("Version of Node; always 1.", "version"),
  nodejs_heap_size_total_bytes: gauge("Process heap size from Node.js in bytes."),
  nodejs_heap_size_used_bytes: gauge("Process heap size used from Node.js in bytes."),
  nodejs_external_memory_bytes: gauge("Node.js external memory size in bytes."),
  nodejs_heap_space_size_total_bytes: gauge("Process heap space size total from Node.js in bytes.", "space"),
  nodejs_heap_space_size_used_bytes: gauge("Process heap space size used from Node.js in bytes.", "space"),
  nodejs_heap_space_size_available_bytes: gauge(
    "Process heap space size available from Node.js in bytes.",
    "space",
  ),
  nodejs_active_resources: gauge("Active resources that keep the event loop alive, by type.", "type"),
  nodejs_active_resources_total: gauge("Total number of active resources."),
  nodejs_eventloop_lag_seconds: gauge("Lag of event loop in seconds."),
  nodejs_eventloop_lag_min_seconds: gauge("The minimum recorded event loop delay."),
  nodejs_eventloop_lag_max_seconds: gauge("The maximum recorded event loop delay."),
  nodejs_eventloop_lag_mean_seconds: gauge("The mean of the recorded event loop delays."),
  nodejs_eventloop_lag_stddev_seconds: gauge("The standard deviation of the recorded event loop delays."),
  nodejs_eventloop_lag_p50_seconds: gauge("The 50th percentile of the recorded event loop delays."),
  nodejs_eventloop_lag_p90_seconds: gauge("The 90th percentile of the recorded event loop delays."),
  nodejs_eventloop_lag_p99_seconds: gauge("The 99th percentile of the recorded event loop delays."),
} as const satisfies Record<string, Family>;
