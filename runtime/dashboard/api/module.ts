import { queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { fetched } from "./client";
import type { Kind } from "./resources";

export type ModuleAnswer = Answers["readModule"];
export type MadeLines = NonNullable<ModuleAnswer["module"]>["lines"][number];

/** Kinds that have modules of their own; others become parts of these. */
export const MODULE_KINDS: ReadonlySet<Kind> = new Set(["routes", "global_rules", "plugin_metadata"]);

export const moduleQuery = (kind: Kind, id: string) =>
  queryOptions({
    // Below "resources", which a change invalidates: another service generates another module.
    queryKey: ["resources", "module", kind, id],
    queryFn: fetched<ModuleAnswer>(`module/${kind}/${encodeURIComponent(id)}`),
  });
