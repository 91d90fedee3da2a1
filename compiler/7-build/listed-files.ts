import { join } from "node:path";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { pathFault, readRegularText } from "../../runtime/abi/regular-file.js";

/** Content of the manifest of a build. */
export interface ListedFiles {
  /** Checker that all modules passed; undefined if they were not checked. */
  checked: string | undefined;
  /** Hashes by name, including source maps. */
  hashes: Readonly<Record<string, string>>;
}

/**
 * Files that the manifest of a build lists. Callers link and remove files by these names, and somebody else
 * may have written the manifest.
 * @throws Error if there is no readable manifest, or a name leads out of the directory
 */
export function listedFiles(directory: string): ListedFiles {
  const manifest: unknown = JSON.parse(readRegularText(join(directory, MANIFEST)));
  const { checked, files, maps } = manifest as { checked?: string } & Partial<
    Record<"files" | "maps", object>
  >;
  const hashes = { ...files, ...maps } as Record<string, string>;
  const outside = Object.keys(hashes).find((name) => pathFault(name) !== undefined);
  if (outside !== undefined) throw new Error(`${JSON.stringify(outside)} ${pathFault(outside)}`);
  return { checked, hashes };
}

/** Files of the build that a new one replaces; none if the directory holds no readable build. */
export function replacedFiles(directory: string): ListedFiles {
  try {
    return listedFiles(directory);
  } catch {
    return { checked: undefined, hashes: {} };
  }
}
