import type { MetricFamily } from "../abi/metrics.js";
import type { RealIpHeader } from "../http/client-address.js";
import type { ApiResponse } from "./api-response.js";
import type { ListenAddress } from "./launch-plan.js";
import type { DescribedOperation } from "./operation.js";

/**
 * A service in a process of its own, and kinds of resources in the admin API. Plain data but for the
 * functions; `plugins/control.ts` registers them.
 */
export interface Contribution {
  plugin: string;
  service?: ServiceContribution;
  resources?: readonly ResourceContribution[];
  /** Returns warnings for the overview, from the metrics of all processes. @param now epoch seconds */
  attention?(families: readonly MetricFamily[], now: number): PluginAttention[];
}

export interface PluginAttention {
  severity: "error" | "warning";
  /** Plugin and case: "captcha.no_verdict". */
  kind: `${string}.${string}`;
  text: string;
  /** Subject of the warning: "ssls/shop", "upstreams/orders"; null: the gateway. */
  subject: string | null;
  /** Advice, in words. */
  action: string;
  /** Numbers and names in the text, for clients with texts of their own. */
  values: Readonly<Record<string, string | number>>;
}

/** A service that runs if the deployment file has its section. `Settings` are plain JSON. */
export interface ServiceContribution<Settings = unknown> {
  /** Name of section, process, listener and admin API folder; prefix before ":" of secrets that no worker gets. */
  name: string;
  /** URL of the module that the process runs. */
  module: string;
  /** Reads the section. @throws SettingsError for mistakes that the schema cannot express */
  read(section: unknown, around: SectionContext): Settings;
  /** Returns the settings for a run that stores nothing on disk. */
  unkept(settings: Settings): Settings;
  listen(settings: Settings): ListenAddress;
  /** Address for other processes; "": the listener's. */
  url(settings: Settings): string;
  /** Operations in the folder, apart from resources. */
  operations: readonly DescribedOperation[];
  /** Serves one of the operations. @param end undefined: the section is absent */
  answer(end: ServiceEnd | undefined, request: OperationRequest): Promise<ApiResponse>;
  /** Name and help of the gauge that is 1 while the service runs with the current configuration. */
  up: { metric: string; help: string };
  /** Opens control's end. @throws StartError */
  open(parts: ServiceParts<Settings>): ServiceEnd;
}

export interface SectionContext {
  /** Directory that paths are relative to. */
  directory: string;
  storeDirectory: string;
  trustedAddresses: string[];
  realIpHeader?: RealIpHeader;
}

export interface ServiceParts<Settings = unknown> {
  settings: Settings;
  /** Returns the table of the plugin's resources in the committed generation; undefined: there are none. */
  table: () => unknown;
  /** Returns the value of a reference; undefined if it is not known here. */
  resolve: (reference: string) => string | undefined;
  adminKeys: () => readonly string[];
  counters: Counters;
}

/** Adds the counters of the service's process to those of the workers. */
export interface Counters {
  /** Adds a connection: of a new process, or of the same one again. */
  joined(pid: number, ask: (number: number) => void): void;
  /** Removes a closed connection. */
  left(pid: number): void;
  /** @param number of the query that this replies to */
  reported(families: readonly MetricFamily[], number?: number): void;
}

/** Control's end of a service: sends the configuration to its process, and queries it. */
export interface ServiceEnd {
  /** State for `/status/ready`. */
  readonly summary: { up: boolean; reason?: string };
  /** Settings in force: of the last reload, with those of the start that a reload does not change. */
  readonly settings: unknown;
  /** Listens for the service's process in the run directory. */
  listen(runDirectory: string): Promise<void>;
  /** Sends the committed configuration. Resolves when the service uses it, or after a timeout. */
  publish(): Promise<void>;
  /** Applies the settings of a reload. */
  update(settings: unknown): Promise<void>;
  /** Resolves when the service uses the configuration, or has reported why not, or after `ms`. */
  whenTold(ms: number): Promise<void>;
  /** Starts the service inside this process, instead of `listen`. @throws StartError */
  startHere(listener: ListenAddress): Promise<ServiceHere>;
  close(): void;
}

export interface ServiceHere {
  address: { host: string; port: number };
  close(deadlineMs: number): Promise<void>;
}

/** A request of the admin API in the folder of a service, apart from resources. */
export interface OperationRequest {
  /** GET for HEAD. */
  method: string;
  /** Decoded segments behind the folder. */
  segments: readonly string[];
  query: URLSearchParams;
  accept: string | undefined;
  /** "" if there is none. */
  bodyText: string;
}

/** A kind of resource of the plugin in the admin API. */
export interface ResourceContribution {
  kind: string;
  /** List of the kind in the plugin's table (`runtime/abi/plugin-tables.ts`). */
  rows: string;
  /** Path behind "/gw/admin/": one segment, or a folder and one. */
  path: string;
  label: string;
  /** Reports whether an id is valid; another is put into the text of a write, for the schema to reject. */
  fitting(id: string): boolean;
  /** Returns an id for a resource without one; default: an unused number. */
  newId?(): string;
  /** Fields that only the gateway writes: a body that contains one is rejected. */
  readOnlyFields?: readonly string[];
  /** Fields that no response contains, not even masked. */
  hidden?: readonly string[];
  /** Adds fields before a resource is stored, and a secret that its writer sees once. `before` has the same id. */
  issue?(id: string, before: Stored | undefined, end: ServiceEnd | undefined): Issued;
}

type Stored = Readonly<Record<string, unknown>>;
export type Issued = { fields: Record<string, unknown>; secret?: string } | { refused: string };

/** The configuration cannot run, and there is no last known good generation; `message` is for the terminal. */
export class StartError extends Error {}

/** A setting whose mistake shows only when the gateway starts. */
export class SettingsError extends Error {}

/** Group of `gwc` commands of a plugin: plain data but for `load`; listed by `plugins/commands.ts`. */
export interface CommandGroup {
  plugin: string;
  name: string;
  describe: string;
  /** Command and its purpose, among the examples of `gwc --help`. */
  example?: readonly [command: string, text: string];
  /** Lines behind the help of the group. */
  help?: string;
  commands: readonly CommandContribution[];
}

interface CommandContribution {
  name: string;
  describe: string;
  options: readonly CommandOption[];
  /** Calls the admin API: its option `key` comes from `--key-file` or GWC_ADMIN_KEY. */
  takesAdminKey?: boolean;
  /** Loads the command; it takes its options by their names in camel case and resolves with the exit code. */
  load(): Promise<(options: never) => Promise<number>>;
}

export interface CommandOption {
  /** "--admin <url>", "--digest", "--hostname <host...>". */
  flags: string;
  describe: string;
  default?: string | readonly string[];
  /** Text of the default in the help. */
  defaultText?: string;
  choices?: readonly string[];
  environment?: string;
  /** Option that excludes it, in camel case. */
  conflicts?: string;
}

/** Names of the gateway's own processes, listeners and sections, which no service may have. */
const OWN = ["control", "worker", "data", "admin", "status", "metrics", "gw", "deployment", "plugin_attr"];

const known = new Map<string, Contribution>();

/** @throws Error if the contribution collides with another one, or with the gateway itself */
export function registerContribution(contribution: Contribution): void {
  const { plugin, service, resources = [] } = contribution;
  if (known.has(plugin)) throw new Error(`two plugins are called ${plugin}`);
  if (service && OWN.includes(service.name))
    throw new Error(`plugin ${plugin}: the service ${service.name} has a name that gwc reserves`);
  for (const other of known.values()) {
    const both = `plugins ${other.plugin} and ${plugin} both have`;
    if (service && other.service?.name === service.name)
      throw new Error(`${both} a service called ${service.name}`);
    for (const { kind, path } of resources)
      for (const taken of other.resources ?? []) {
        if (taken.kind === kind) throw new Error(`${both} resources called ${kind}`);
        if (taken.path === path) throw new Error(`${both} resources under ${path}`);
      }
  }
  known.set(plugin, contribution);
}

export function serviceContributions(): (ServiceContribution & { plugin: string })[] {
  return [...known.values()].flatMap(({ plugin, service }) => (service ? [{ ...service, plugin }] : []));
}

export function resourceContributions(): (ResourceContribution & { plugin: string })[] {
  return [...known.values()].flatMap(({ plugin, resources = [] }) =>
    resources.map((resource) => ({ ...resource, plugin })),
  );
}

/** Returns the warnings of all plugins. @param now epoch seconds */
export const pluginAttention = (families: readonly MetricFamily[], now: number): PluginAttention[] =>
  [...known.values()].flatMap((contribution) => contribution.attention?.(families, now) ?? []);

/** Reports whether a secret belongs to a service, so that workers do not receive it. */
export function isOfService(reference: string): boolean {
  return serviceContributions().some(({ name }) => reference.startsWith(`${name}:`));
}
