import { join } from "node:path";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { pathFault, readRegularText } from "../../runtime/abi/regular-file.js";

/**
 * Hashes of the files that the manifest of a build lists, including source maps. Callers link and remove
 * files by these names, and somebody else may have written the manifest.
 * @throws Error if there is no readable manifest, or a name leads out of the directory
 */
export function listedFiles(directory: string): Record<string, string> {
  const manifest: unknown = JSON.parse(readRegularText(join(directory, MANIFEST)));
  const { files, maps } = manifest as Record<"files" | "maps", Record<string, string> | undefined>;
  const listed = { ...files, ...maps };
  const outside = Object.keys(listed).find((name) => pathFault(name) !== undefined);
  if (outside !== undefined) throw new Error(`${JSON.stringify(outside)} ${pathFault(outside)}`);
  return listed;
}
