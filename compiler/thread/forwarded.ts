import type { CompilerRpc } from "./compiler-rpc.js";

/** Object in another thread: each method returns a promise. */
type Remote<T> = {
  [Name in keyof T]: T[Name] extends (...given: infer Given) => infer Result
    ? (...given: Given) => Promise<Awaited<Result>>
    : never;
};

/** Calls that pass to the compiler unchanged; `CompilerThread` wraps the others. */
const FORWARDED = [
  ...(["draft", "draftModules", "judgeBuild", "moduleView", "statementLocations"] as const),
  ...(["diagnosticSummary", "readRequest", "examinedCandidates", "whichRouteReport"] as const),
  ...(["readTrace", "redactTrace", "schema", "pluginSchema", "pluginReadme", "schemaComponents"] as const),
  ...(["plugins", "secretPaths", "credentialPlaces", "validate"] as const),
] satisfies readonly (keyof CompilerRpc)[];

type Name = (typeof FORWARDED)[number];
export type Forwarded = Pick<Remote<CompilerRpc>, Name>;

export const forwarded = (call: (name: Name, given: unknown[]) => Promise<unknown>): Forwarded =>
  Object.fromEntries(
    FORWARDED.map((name) => [name, (...given: unknown[]) => call(name, given)]),
  ) as unknown as Forwarded;
