/**
 * The plain data that crosses from compiler to runtime: router rows, upstream tables, module texts. A full set is an
 * `Artifact` (what `gwc build` writes); an update is a `Delta` against the set before. Everything is JSON.
 */
import type { PassiveChecks } from "./passive-checks.js";
import type { PluginTables } from "./plugin-tables.js";
import type { RetryBudgetSettings } from "./retry-budget.js";

/** One route as the router needs it. */
export interface RouterRow {
  id: string;
  name?: string;
  serviceId?: string;
  serviceName?: string;
  /** Lower-case; "*" prefix is a suffix wildcard; empty = any host. Service hosts are already merged in. */
  hosts: string[];
  /** "/exact", "/prefix*", "/a/:name/b", "/a/*rest". At least one. */
  uris: string[];
  /** Empty = every method. */
  methods: string[];
  /** IPs and CIDRs; empty = any client. */
  remoteAddrs: string[];
  priority: number;
  /** Position for ties: lower registers first, equal ones by id. Stable across updates of the same id. */
  order: number;
  /** Module moduleId to run, or null for a route without plugins and vars. */
  moduleId: string | null;
  /** True when the moduleId has a `match` phase. */
  hasMatch: boolean;
  /** Key in `upstreams`, or null: the route can only answer by itself (503 without an upstream). */
  upstream: string | null;
  /** Something that holds plugins of the route is missing: every request gets this status, and none of its plugins but loggers runs. */
  unavailable?: 404 | 503;
  /** Seconds, overrides the upstream's. */
  timeout?: Timeouts;
  enableWebsocket: boolean;
}

/** Seconds. */
export interface Timeouts {
  connect: number;
  send: number;
  read: number;
}

/** Host may hold `${{VAR}}` (schema: x-runtime), resolved by the host process when it opens the table. */
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
  /** Extra attempts after the first. */
  retries: number;
  /** Seconds after which no new attempt starts; 0 = none. */
  retryTimeout: number;
  timeout: Timeouts;
  passHost: "pass" | "node" | "rewrite";
  upstreamHost?: string;
  keepalive: { size: number; idleTimeout: number; requests: number };
  hashOn?: "vars" | "header" | "cookie" | "consumer" | "vars_combinations";
  hashKey?: string;
  /** What puts a node out; absent: `PASSIVE_CHECKS`. */
  passive?: PassiveChecks;
  /** Absent: `RETRY_BUDGET`. */
  retryBudget?: RetryBudgetSettings;
  /** Verification of an https upstream's certificate; default true. */
  tlsVerify: boolean;
}

/** A global rule: a module run around every route's. In ascending id order. */
export interface GlobalRuleRow {
  id: string;
  moduleId: string;
}

/** Metadata of a plugin: a module of its own, read by every route's logger through the exchange. */
export interface PluginMetadataRow {
  plugin: string;
  moduleId: string;
}

/** Loadable text of one module. */
export interface ModuleCode {
  /** "route:<id>", "global_rule:<id>" or "plugin_metadata:<plugin>". */
  moduleId: string;
  /** Path below dist/, without extension: "routes/shop-orders". */
  file: string;
  /** sha256 hex of `code`. */
  hash: string;
  /** CommonJS form: `const {…} = require("gwc/runtime"); … module.exports = …`. */
  code: string;
}

/** Everything the runtime needs to serve; no secrets. */
export interface Artifact {
  abi: number;
  /** sha256 hex over the canonical plan. */
  planHash: string;
  routes: RouterRow[];
  upstreams: UpstreamTable[];
  globalRules: GlobalRuleRow[];
  pluginMetadata: PluginMetadataRow[];
  /** Absent when there is nothing in them. */
  tables?: PluginTables;
  modules: ModuleCode[];
}

/** What changes from one generation to the next; `base` must be the running one. */
export interface Delta {
  abi: number;
  planHash: string;
  routes: { put: RouterRow[]; remove: string[] };
  upstreams: { put: UpstreamTable[]; remove: string[] };
  /** Whole list when it changed, else undefined. */
  globalRules?: GlobalRuleRow[];
  /** Whole list when it changed, else undefined. */
  pluginMetadata?: PluginMetadataRow[];
  /** Those that changed, each whole, also when it is empty now; else undefined. */
  tables?: PluginTables;
  modules: { put: ModuleCode[]; remove: string[] };
}
