/**
 * Plain data from the compiler to the runtime: router rows, upstream tables, module code. A complete set is
 * an `Artifact` (which `gwc build` writes); an update is a `Delta` from the previous set. Everything is JSON.
 */
import type { PassiveChecks, RetryBudgetSettings } from "./passive-checks.js";
import type { PluginTables } from "./plugin-tables.js";

/** A route, for the router. */
export interface RouterRow {
  id: string;
  name?: string;
  serviceId?: string;
  serviceName?: string;
  /**
   * Lower-case; "*" prefix is a suffix wildcard; empty: any host. Hosts of the service are already merged in.
   */
  hosts: string[];
  /** "/exact", "/prefix*", "/a/:name/b", "/a/*rest". At least one. */
  uris: string[];
  /** Empty: every method. */
  methods: string[];
  /** IPs and CIDRs; empty: any client. */
  remoteAddrs: string[];
  priority: number;
  /** Order of ties: lower registers first, equal ones by id. Stable across updates of the same id. */
  order: number;
  /** Id of the module to run, or null for a route without plugins and vars. */
  moduleId: string | null;
  /** True if the module has a `match` phase. */
  hasMatch: boolean;
  /** Key in `upstreams`, or null: only local replies (503 without an upstream). */
  upstream: string | null;
  /**
   * Status of every request, because an object with plugins of the route is missing; none of its plugins but
   * loggers runs.
   */
  unavailable?: 404 | 503;
  /** Timeouts in seconds; they replace the upstream's. */
  timeout?: Timeouts;
  enableWebsocket: boolean;
}

/** Timeouts in seconds. */
export interface Timeouts {
  connect: number;
  send: number;
  read: number;
}

/**
 * A node; its host may contain `${{VAR}}` (schema: x-runtime), which the host process resolves when it opens
 * the table.
 */
export interface UpstreamNode {
  host: string;
  port: number;
  weight: number;
  priority: number;
}

export interface UpstreamTable {
  /** Upstream id, or "route:<id>" / "service:<id>" for an inline one. */
  key: string;
  type: "roundrobin" | "chash" | "least_conn" | "ewma";
  scheme: "http" | "https";
  nodes: UpstreamNode[];
  retries: number;
  /** Seconds after which no retry starts; 0: no limit. */
  retryTimeout: number;
  timeout: Timeouts;
  passHost: "pass" | "node" | "rewrite";
  upstreamHost?: string;
  keepalive: { size: number; idleTimeout: number; requests: number };
  hashOn?: "vars" | "header" | "cookie" | "consumer" | "vars_combinations";
  hashKey?: string;
  /** Conditions of an ejection; absent: `PASSIVE_CHECKS`. */
  passive?: PassiveChecks;
  /** Absent: `RETRY_BUDGET`. */
  retryBudget?: RetryBudgetSettings;
  /** Verification of an https upstream's certificate; default: true. */
  tlsVerify: boolean;
}

/** A global rule: a module that runs around every route's. In ascending order of ids. */
export interface GlobalRuleRow {
  id: string;
  moduleId: string;
}

/** Metadata of a plugin: a module of its own, which loggers of all routes read through the exchange. */
export interface PluginMetadataRow {
  plugin: string;
  moduleId: string;
}

/** Loadable code of one module. */
export interface ModuleCode {
  /** "route:<id>", "global_rule:<id>" or "plugin_metadata:<plugin>". */
  moduleId: string;
  /** Path below the build's directory, without extension: "routes/shop-orders". */
  file: string;
  /** SHA-256 of `code` in hex. */
  hash: string;
  /** CommonJS form: `const {…} = require("gwc/runtime"); … module.exports = …`. */
  code: string;
}

/** Everything that the runtime needs to serve; no secrets. */
export interface Artifact {
  abi: number;
  /** SHA-256 of the canonical plan in hex. */
  planHash: string;
  routes: RouterRow[];
  upstreams: UpstreamTable[];
  globalRules: GlobalRuleRow[];
  pluginMetadata: PluginMetadataRow[];
  /** Absent if all are empty. */
  tables?: PluginTables;
  modules: ModuleCode[];
}

/** Complete lists that changed, and complete tables, also empty ones; undefined if none changed. */
type ChangedLists = Partial<Pick<Artifact, "globalRules" | "pluginMetadata" | "tables">>;

/** Changes from one generation to the next; `base` must be the running one. */
export interface Delta extends Pick<Artifact, "abi" | "planHash">, ChangedLists {
  routes: { put: RouterRow[]; remove: string[] };
  upstreams: { put: UpstreamTable[]; remove: string[] };
  modules: { put: ModuleCode[]; remove: string[] };
}
