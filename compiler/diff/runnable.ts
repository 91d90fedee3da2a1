import type { Artifact, ModuleCode } from "../../runtime/abi/generation.js";
import type { Credentials } from "../../runtime/abi/log.js";
import type { LoadedPackage } from "../model/package.js";
import type { Plan } from "../model/plan-document.js";
import type { DiffSimulator } from "./sample-request.js";

/** One of two compared configurations, ready to run. */
export interface RunnableSide {
  plan: Pick<Plan, "routes" | "globalRules">;
  artifact: Artifact;
  /** Returns the module with this module id, if the artifact has no modules. */
  moduleOf?: ((moduleId: string) => ModuleCode | undefined) | undefined;
  /** Headers and query arguments from which its modules read credentials. */
  credentials: readonly Credentials[];
  /** Settings; undefined for those of the other side. */
  deployment: unknown;
  /** Values of literal secrets by their references. */
  secrets: ReadonlyMap<string, string>;
  /** Plugins of packages, which may call services: their routes are matched but not run. */
  foreign: ReadonlySet<string>;
}

/** @param credentials credentials that clients of either side may send */
export type CreateSimulator = (
  before: RunnableSide,
  after: RunnableSide,
  credentials: DiffSimulator["credentials"],
) => DiffSimulator;

/** Simulators that run modules. The module is loaded by name, since it depends on the compiler. */
export interface Simulators {
  createSimulator: CreateSimulator;
  /** Registers the run-time code of packages in this process. */
  registerPackages(packages: readonly LoadedPackage[]): Promise<void>;
  /** Blocks network access of modules from then on. */
  withoutNetwork(): void;
}
