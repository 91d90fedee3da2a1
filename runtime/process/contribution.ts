import type { MetricFamily } from "../abi/metrics.js";
import type { RealIpHeader } from "../http/client-address.js";
import type { ApiResponse } from "./api-response.js";
import type { ListenAddress } from "./launch-plan.js";
import type { DescribedOperation } from "./operation.js";

/**
 * What a plugin contributes beside its steps and its calls: a service in a process of its own, and how its resources behave in
 * the admin API. Plain data but for the functions; registered by `plugins/control.ts` (`contributions.ts`).
 */
export interface Contribution {
  /** Name of the plugin. */
  plugin: string;
  service?: ServiceContribution;
  resources?: readonly ResourceContribution[];
  /** What somebody should look at, of what all processes have counted. @param now epoch seconds */
  attention?(families: readonly MetricFamily[], now: number): PluginAttention[];
}

/** Something that the overview tells of a plugin. */
export interface PluginAttention {
  severity: "error" | "warning";
  /** "captcha.no_verdict": the plugin, and what of it. */
  kind: `${string}.${string}`;
  text: string;
  /** What it is about: "ssls/shop", "upstreams/orders"; null: the gateway. */
  subject: string | null;
  /** What to do, in words. */
  action: string;
  /** What the text says in numbers and names, for those who have words of their own. */
  values: Readonly<Record<string, string | number>>;
}

/** A service that runs when its section of the deployment file is there. `Settings` are plain JSON. */
export interface ServiceContribution<Settings = unknown> {
  /**
   * Of the section, of the process and its listener, of the folder of the admin API that its operations are in, and before
   * ":" of the names of secrets that no worker is told.
   */
  name: string;
  /** URL of what the process runs. */
  module: string;
  /** @throws SettingsError for what the schema cannot say */
  read(section: unknown, around: SectionContext): Settings;
  /** The same where nothing is kept on disk. */
  unkept(settings: Settings): Settings;
  listen(settings: Settings): ListenAddress;
  /** Its address as others see it; "": the listener's. */
  url(settings: Settings): string;
  /** What is asked in the folder beside resources. */
  operations: readonly DescribedOperation[];
  /** Answers one of the operations. @param end undefined: the section is absent */
  answer(end: ServiceEnd | undefined, request: OperationRequest): Promise<ApiResponse>;
  /** Name and help of the gauge that is 1 while it serves with what is configured. */
  up: { metric: string; help: string };
  /** Opens control's end. @throws StartError */
  open(parts: ServiceParts<Settings>): ServiceEnd;
}

/** What a section takes from the others. */
export interface SectionContext {
  /** What paths are relative to. */
  directory: string;
  storeDirectory: string;
  trustedAddresses: string[];
  realIpHeader?: RealIpHeader;
}

export interface ServiceParts<Settings = unknown> {
  settings: Settings;
  /** What the compiler made of the plugin's resources, in the committed generation; undefined: there are none. */
  table: () => unknown;
  /** Value of a reference; undefined when it is not known here. */
  resolve: (reference: string) => string | undefined;
  /** Keys of the admin API. */
  adminKeys: () => readonly string[];
  counters: Counters;
}

/** Where the counters of the service's process are added to those of the workers. */
export interface Counters {
  /** Says hello: a new process, or the same one on another connection. */
  joined(pid: number, ask: (number: number) => void): void;
  /** Its connection is gone. */
  left(pid: number): void;
  /** @param number of the question that this answers */
  reported(families: readonly MetricFamily[], number?: number): void;
}

/** Control's end of a service: tells its process what is configured, and asks it. */
export interface ServiceEnd {
  /** For `/status/ready`. */
  readonly summary: { up: boolean; reason?: string };
  /** Settings in force: of the last reload, with those of the start that a reload does not change. */
  readonly settings: unknown;
  /** Listens for the service's process in the run directory. */
  listen(runDirectory: string): Promise<void>;
  /** Tells what is committed now. Resolves when it is served with, or when the service has not said so in time. */
  publish(): Promise<void>;
  /** Settings of a reload. */
  update(settings: unknown): Promise<void>;
  /** Resolves when it serves with what is configured, or has said why it does not, or after `ms`. */
  whenTold(ms: number): Promise<void>;
  /** Starts the service inside this process, in place of `listen`. @throws StartError */
  startHere(listener: ListenAddress): Promise<ServiceHere>;
  close(): void;
}

/** A service inside the calling process. */
export interface ServiceHere {
  address: { host: string; port: number };
  close(deadlineMs: number): Promise<void>;
}

/** What the admin API is asked below the folder of a service, beside the resources. */
export interface OperationRequest {
  /** GET for HEAD. */
  method: string;
  /** Decoded, after the folder. */
  segments: readonly string[];
  query: URLSearchParams;
  /** Field `Accept`. */
  accept: string | undefined;
  /** "" where there is none. */
  bodyText: string;
}

/** How a kind of resource of the plugin behaves in the admin API. */
export interface ResourceContribution {
  /** As configurations name it. */
  kind: string;
  /** Its list in the plugin's table (`runtime/abi/plugin-tables.ts`). */
  rows: string;
  /** What follows "/gw/admin/": one segment, or a folder and one. */
  path: string;
  /** As messages call it. */
  label: string;
  /** Whether an id may be one; another is put into the text of a write for the schema to refuse. */
  fitting(id: string): boolean;
  /** Id of one that is written without; default: a number that no other has. */
  newId?(): string;
  /** Fields that only the gateway writes: a body that brings one is refused. */
  readOnlyFields?: readonly string[];
  /** Fields that no answer shows, not even masked. */
  hidden?: readonly string[];
  /**
   * What is added to a resource before it is stored, and what its writer is shown this once.
   * @param before what the store has under the id
   */
  issue?(id: string, before: Stored | undefined, end: ServiceEnd | undefined): Issued;
}

type Stored = Readonly<Record<string, unknown>>;
export type Issued = { fields: Record<string, unknown>; secret?: string } | { refused: string };

/** The configuration cannot be run and there is no last known good generation; `message` is for the terminal. */
export class StartError extends Error {}

/** A setting that only shows to be wrong when the gateway starts. */
export class SettingsError extends Error {}
