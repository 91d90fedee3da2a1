import type { Artifact, ModuleCode } from "../../runtime/abi/generation.js";
import type { Credentials } from "../../runtime/abi/log.js";
import type { LoadedPackage } from "../model/package.js";
import type { Plan } from "../model/plan.js";

type Fields = readonly (readonly [name: string, value: string])[];

/** Request, with the upstream's response if it gets there. Texts are byte strings. */
export interface SampleRequest {
  method: string;
  host: string;
  target: string;
  headers: Fields;
  body: string;
  client: string;
  /** Default: 40000. */
  clientPort?: number;
  /** Default: HTTP/1.1. */
  http?: "1.0";
  /** Unusual variables of its TLS connection, without `$ssl_`; absent without TLS. */
  tls?: Readonly<Record<string, string>>;
  /** Address that receives it. Default: 127.0.0.1. */
  serverAddress?: string;
  /** Port that receives it. Default: the first of its scheme in the settings. */
  port?: number;
  /** Result of every random number, from 0 to 1. Default: 0.5. */
  chance?: number;
  upstream: { status: number; headers: Fields; body: string };
}

export interface Observation {
  /** Id of the route; null if none matched or the request was rejected before. */
  route: string | null;
  /** Nodes: "http://10.0.0.1:80, http://10.0.0.2:80"; null if none. */
  upstream: string | null;
  status: number;
  /** Visible effects by name: "response header etag", "upstream target", "syslog record". */
  seen: ReadonlyMap<string, string>;
}

export type Which = "before" | "after";

export interface DiffSimulator {
  /** Headers with which known clients authenticate; no report shows the values. */
  readonly credentials: readonly { header: string; value: string }[];
  conditionsAsked(): number;
  match(which: Which, probe: SampleRequest): string | null;
  /** @returns undefined if that needs a network */
  observe(which: Which, probe: SampleRequest): Promise<Observation | undefined>;
}

export interface RunnableSide {
  plan: Pick<Plan, "routes" | "globalRules">;
  artifact: Artifact;
  /** Set if the artifact has no modules. */
  moduleOf?: ((moduleId: string) => ModuleCode | undefined) | undefined;
  /** Headers and query arguments from which its modules read credentials. */
  credentials: readonly Credentials[];
  /** Undefined for settings of the other side. */
  deployment: unknown;
  /** Values of literal secrets by their references. */
  secrets: ReadonlyMap<string, string>;
  /** Plugins of packages may call services: their routes are matched but not run. */
  foreign: ReadonlySet<string>;
}

export type CreateSimulator = (
  before: RunnableSide,
  after: RunnableSide,
  credentials: DiffSimulator["credentials"],
) => DiffSimulator;

/** The module is loaded by name, since it depends on the compiler. */
export interface Simulators {
  createSimulator: CreateSimulator;
  registerPackages(packages: readonly LoadedPackage[]): Promise<void>;
  /** Blocks network access of modules from then on. */
  withoutNetwork(): void;
}
