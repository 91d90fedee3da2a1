import type { ControlCompiler } from "./compiler.js";
import type { ConfigSource } from "./launch-settings.js";
import { NamedCredentials } from "./named-credentials.js";
import type { ResourceCatalog } from "./resource-catalog.js";

/**
 * Finds credentials by name, with the compiler if it has the running configuration. With a read-only build it
 * has none, or is not installed; control then searches itself, which needs none of the compiler's packages.
 * Rejects if not even the compiler's code is present.
 */
export function namedCredentials(
  origin: ConfigSource,
  compiler: Pick<ControlCompiler, "credentialPlaces"> | null,
  resources: ResourceCatalog,
): NamedCredentials {
  if (compiler && (origin.kind === "files" || origin.writable))
    return new NamedCredentials((asked) => compiler.credentialPlaces(asked), resources);
  return new NamedCredentials(async (asked) => {
    await import("../../plugins/index.js");
    const { credentialsAmong } = await import("../../compiler/thread/credentials-client.js");
    return credentialsAmong(resources.all(), asked);
  }, resources);
}
