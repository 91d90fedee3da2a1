import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes the rights of others from the existing directory of a store (0700) and its files (0600). Those of
 * another owner, or on a volume without rights, stay unchanged.
 * @param prefix of the names of the store's files
 * @throws NodeJS.ErrnoException
 */
export function restrictToOwner(directory: string, prefix: string): void {
  const files = readdirSync(directory).filter((name) => name.startsWith(prefix));
  const all = [[directory, 0o700] as const, ...files.map((name) => [join(directory, name), 0o600] as const)];
  for (const [path, mode] of all) {
    try {
      chmodSync(path, mode);
    } catch (error) {
      if (!/^(?:EPERM|EROFS|ENOTSUP|EINVAL)$/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}
