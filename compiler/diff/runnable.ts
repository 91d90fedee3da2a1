import type { Artifact, ModuleCode } from "../../runtime/abi/generation.js";
import type { Credentials } from "../../runtime/abi/log.js";
import type { LoadedPackage } from "../model/package.js";
import type { Plan } from "../model/plan-document.js";
import type { DiffSimulator } from "./sample-request.js";

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
