import "../plugins/index.js";
import type { Resource } from "../compiler/resolve/resource.js";
import { resourceSecretPaths, secretPaths } from "../compiler/validate/annotations.js";
import { environmentReferences } from "../runtime/abi/environment.js";

/**
 * Texts of a configuration that no report shows: what fields for secrets hold, in resources and settings, and the values of the environment
 * that the texts name, which are nobody's to print whatever field they are in.
 * @param texts where variables may be named
 */
export function hiddenTexts(
  resources: readonly Pick<Resource, "kind" | "value">[],
  deployment: unknown,
  texts: readonly string[],
): string[] {
  const ofResources = resources.flatMap(({ kind, value }) =>
    resourceSecretPaths(kind, value).map((path) => textAt(value, path)),
  );
  const ofSettings = secretPaths(deployment ?? {}).map((path) => textAt(deployment, path));
  const named = texts.flatMap(environmentReferences).flatMap(({ name }) => process.env[name] ?? []);
  return [...ofResources, ...ofSettings, ...named].filter((text) => text !== "" && !text.includes("${{"));
}

function textAt(value: unknown, path: readonly (string | number)[]): string {
  const found = path.reduce<unknown>(
    (part, step) => (part as Record<string | number, unknown> | undefined)?.[step],
    value,
  );
  return typeof found === "string" ? found : "";
}
