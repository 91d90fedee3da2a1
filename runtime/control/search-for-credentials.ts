import type { ControlCompiler } from "./compiler.js";
import type { ConfigSource } from "./launch-settings.js";
import { NamedCredentials } from "./named-credentials.js";
import type { ResourceCatalog } from "./resource-catalog.js";

/**
 * Credentials by name: the compiler finds them where it holds what runs. Beside a build that nobody writes to it holds nothing, or
 * is not installed: control searches by itself then, which needs none of the compiler's packages, and rejects where not even its
 * code is there.
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
    const { credentialsAmong } = await import("../../compiler/credentials-client.js");
    return credentialsAmong(resources.all(), asked);
  }, resources);
}
