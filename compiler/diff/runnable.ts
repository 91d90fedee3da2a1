import type { Artifact, ModuleCode } from "../../runtime/abi/generation.js";
import type { Credentials } from "../../runtime/abi/log.js";
import type { LoadedPackage } from "../packages/outcomes.js";
import type { Plan } from "../plan/plan-document.js";
import type { DiffSimulator } from "./sample-request.js";

/** One of two configurations that are compared, ready to be run. */
export interface RunnableSide {
  plan: Pick<Plan, "routes" | "globalRules">;
  artifact: Artifact;
  /** Module of a moduleId, where the artifact holds none. */
  moduleOf?: ((moduleId: string) => ModuleCode | undefined) | undefined;
  /** What its modules take credentials from. */
  credentials: readonly Credentials[];
  /** Settings; undefined: those of the other side. */
  deployment: unknown;
  /** Values of literal secrets by their references. */
  secrets: ReadonlyMap<string, string>;
  /** Plugins of packages, which may ask services: their routes are matched and not run. */
  foreign: ReadonlySet<string>;
}

/** @param credentials what clients of either could send */
export type CreateSimulator = (
  before: RunnableSide,
  after: RunnableSide,
  credentials: DiffSimulator["credentials"],
) => DiffSimulator;

/** What runs modules: it stands above the compiler, which is given its module by name. */
export interface Simulators {
  diffSimulator: CreateSimulator;
  /** Makes known to this process what packages do at run time. */
  registerPackages(packages: readonly LoadedPackage[]): Promise<void>;
  /** Modules reach no network from then on. */
  withoutNetwork(): void;
}
