import type { Plan } from "../../compiler/plan/plan-document.js";
import type { Resource } from "../../compiler/resolve/resource.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import type { ModuleOf } from "../../runtime/control/in-process/simulated-gateway.js";

/** One of the two configurations, compiled. */
export interface Side {
  /** As the command line has it. */
  name: string;
  /** Read from a directory that `gwc build` wrote. */
  built?: true;
  plan: Plan;
  artifact: Artifact;
  /** Where the artifact holds no modules. */
  moduleOf?: ModuleOf;
  /** Settings that are not resources; undefined: not known, so not compared. */
  deployment: unknown;
  /** "shop.yaml:31:9" of a part, by its address. */
  place(origin: string): string;
  /** Values of literal secrets by their references. */
  secrets: ReadonlyMap<string, string>;
  /** Other texts that no report shows: what the environment gives, and what fields for secrets hold. */
  hidden: readonly string[];
  /** Plugins of packages, which may ask services: their routes are matched and not run. */
  foreign: ReadonlySet<string>;
  /** What a reader of a report has to know of how the side was read. */
  note?: string;
  /** Empty for a build. */
  resources: readonly Pick<Resource, "kind" | "id" | "value">[];
}

/** Reason that a side cannot be compared, on one line: it repeats names that anybody may have made. */
export class DiffInputError extends Error {
  readonly refusal: string | undefined;

  /** @param refusal what a gateway said against it, whose findings have lines of their own */
  constructor(message: string, refusal?: string) {
    super(message);
    this.refusal = refusal;
  }
}
