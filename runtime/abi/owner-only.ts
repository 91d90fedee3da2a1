import { chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Takes the rights of others from the directory of a store that is there already (0700) and from its files (0600). One of another
 * owner, or on a volume without rights, stays as it is.
 * @param prefix names of the store's files begin with it
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
