/** Parts that this step reads; the schemas guarantee these types. */

type Plugins = Record<string, Record<string, unknown>>;

/** Timeouts in seconds. */
interface TimeoutValue {
  connect: number;
  send: number;
  read: number;
}

export interface NodeValue {
  host: string;
  port?: number;
  weight: number;
  priority?: number;
}

export interface PassiveChecksValue {
  healthy?: { successes?: number };
  unhealthy?: {
    tcp_failures?: number;
    timeouts?: number;
    http_failures?: number;
    http_statuses?: number[];
  };
  ejection_time?: number;
  max_ejection_time?: number;
  max_ejected_percent?: number;
  slow_start?: number;
}

export interface UpstreamValue {
  type?: "roundrobin" | "chash" | "least_conn" | "ewma";
  scheme?: "http" | "https";
  nodes?: Record<string, number> | NodeValue[];
  retries?: number;
  retry_timeout?: number;
  timeout?: TimeoutValue;
  pass_host?: "pass" | "node" | "rewrite";
  upstream_host?: string;
  keepalive_pool?: { size?: number; idle_timeout?: number; requests?: number };
  hash_on?: "vars" | "header" | "cookie" | "consumer" | "vars_combinations";
  key?: string;
  tls?: { verify?: boolean };
  checks?: { passive?: PassiveChecksValue };
  retry_budget?: { percent?: number; min_per_second?: number };
}

export interface RouteValue {
  name?: string;
  uri?: string;
  uris?: string[];
  host?: string;
  hosts?: string[];
  methods?: string[];
  remote_addr?: string;
  remote_addrs?: string[];
  vars?: unknown[];
  priority?: number;
  status?: 0 | 1;
  timeout?: TimeoutValue;
  enable_websocket?: boolean;
  plugins?: Plugins;
  plugin_config_id?: string | number;
  service_id?: string | number;
  upstream?: UpstreamValue;
  upstream_id?: string | number;
}

export interface ServiceValue {
  name?: string;
  hosts?: string[];
  enable_websocket?: boolean;
  plugins?: Plugins;
  plugin_config_id?: string | number;
  upstream?: UpstreamValue;
  upstream_id?: string | number;
}

export interface PluginsValue {
  plugins?: Plugins;
}
