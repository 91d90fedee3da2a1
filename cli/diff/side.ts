import type { Plan } from "../../compiler/model/plan.js";
import type { Resource } from "../../compiler/model/resource.js";
import type { Artifact } from "../../runtime/abi/generation.js";
import type { ModuleOf } from "../../runtime/control/in-process/simulated-gateway.js";

export interface Side {
  /** Name on the command line. */
  name: string;
  /** The side was read from a directory of `gwc build`. */
  built?: true;
  plan: Plan;
  artifact: Artifact;
  /** Modules by id if the artifact holds none. */
  moduleOf?: ModuleOf;
  /** Settings that are not resources; undefined if unknown, and then not compared. */
  deployment: unknown;
  /** Location ("shop.yaml:31:9") of a part, by its config path. */
  place(origin: string): string;
  /** Values of literal secrets by their references. */
  secrets: ReadonlyMap<string, string>;
  /** Other texts that no report may show: values of the environment and of fields for secrets. */
  hidden: readonly string[];
  /** Plugins of packages, which may call services: their routes are matched but not run. */
  foreign: ReadonlySet<string>;
  /** Remark for the reader of a report about how the side was read. */
  note?: string;
  /** Empty for a build. */
  resources: readonly Pick<Resource, "kind" | "id" | "value">[];
}

/** Reason why a side cannot be compared, on one line: it repeats names from untrusted input. */
export class DiffInputError extends Error {
  readonly refusal: string | undefined;

  /** @param refusal message with which a gateway rejected a call; its diagnostics have lines of their own */
  constructor(message: string, refusal?: string) {
    super(message);
    this.refusal = refusal;
  }
}
