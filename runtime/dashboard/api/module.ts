import { queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";
import type { Kind } from "./resources";

/** Plan and module of a resource that runs; secrets in the configuration are masked by the gateway. */
export type ModuleAnswer = Answers["readModule"];
/** Lines of a module that one part of the configuration has made. */
export type MadeLines = NonNullable<ModuleAnswer["module"]>["lines"][number];

/** Kinds that become modules of their own; the others are parts of these. */
export const MODULE_KINDS: ReadonlySet<Kind> = new Set(["routes", "global_rules", "plugin_metadata"]);

export const moduleQuery = (kind: Kind, id: string) =>
  queryOptions({
    // Below what is forgotten after a change: another service makes another module.
    queryKey: ["resources", "module", kind, id],
    queryFn: async ({ signal }) =>
      (await callAdmin<ModuleAnswer>(`module/${kind}/${encodeURIComponent(id)}`, { signal })).body,
  });
