import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Reason why no file system can be mounted here; undefined if one can, which needs root and permission of the
 * system.
 */
export const noMount = ((): string | undefined => {
  const directory = mkdtempSync(join(tmpdir(), "gwc-mount-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "tmpfs", directory]).status === 0;
  if (mounted) spawnSync("umount", [directory]);
  rmSync(directory, { recursive: true });
  if (mounted) return undefined;
  process.stderr.write("tests of full disks are left out: mount -t tmpfs is refused here\n");
  return "mount -t tmpfs is refused here";
})();

export class SmallDisk {
  readonly directory: string;
  readonly #filler: string;

  /**
   * @param directory existing mount point
   * @param size size option of mount, such as "4m"
   */
  constructor(directory: string, size: string) {
    this.directory = directory;
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", directory]);
    this.#filler = join(directory, "filler");
  }

  /** Fills the disk to the last page. */
  fill(): void {
    spawnSync("dd", ["if=/dev/zero", `of=${this.#filler}`, "bs=4096", "oflag=append", "conv=notrunc"]);
  }

  empty(): void {
    rmSync(this.#filler, { force: true });
  }

  /** Lazy, because killed processes may still have open files on it. */
  unmount(): void {
    spawnSync("umount", ["--lazy", this.directory]);
  }
}
