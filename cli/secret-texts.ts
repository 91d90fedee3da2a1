import "../plugins/index.js";
import { valueAt } from "../compiler/parse/values.js";
import type { Resource } from "../compiler/resolve/resource.js";
import { isLiteral, literalSecretPaths, secretPaths } from "../compiler/validate/annotations.js";
import { environmentReferences } from "../runtime/abi/environment.js";

type Written = Pick<Resource, "kind" | "value">;

/** Secrets that resources write out. */
export function literalSecrets(resources: readonly Written[]): string[] {
  return resources.flatMap(({ kind, value }) =>
    literalSecretPaths(kind, value).map((path) => String(valueAt(value, path))),
  );
}

/**
 * Texts of a configuration that no report shows: what fields for secrets hold, in resources and settings, and the values of the environment
 * that the texts name, which are nobody's to print whatever field they are in.
 * @param texts where variables may be named
 */
export function hiddenTexts(
  resources: readonly Written[],
  deployment: unknown,
  texts: readonly string[],
): string[] {
  const ofSettings = secretPaths(deployment ?? {})
    .map((path) => valueAt(deployment, path))
    .filter(isLiteral);
  const names = new Set(texts.flatMap(environmentReferences).map(({ name }) => name));
  const named = [...names].map((name) => process.env[name] ?? "");
  return [...literalSecrets(resources), ...ofSettings, ...named].filter((text) => text !== "");
}
