import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why no file system can be mounted here; undefined: it can, which takes root and a system that lets it. */
export const noMount = ((): string | undefined => {
  const directory = mkdtempSync(join(tmpdir(), "gwc-mount-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "tmpfs", directory]).status === 0;
  if (mounted) spawnSync("umount", [directory]);
  rmSync(directory, { recursive: true });
  if (mounted) return undefined;
  process.stderr.write("tests of full disks are left out: mount -t tmpfs is refused here\n");
  return "mount -t tmpfs is refused here";
})();

/** A file system of its own, in memory. */
export class SmallDisk {
  readonly directory: string;
  readonly #filler: string;

  /** @param directory exists; @param size as mount takes it, "4m" */
  constructor(directory: string, size: string) {
    this.directory = directory;
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", directory]);
    this.#filler = join(directory, "filler");
  }

  /** Leaves not a single page. */
  fill(): void {
    spawnSync("dd", ["if=/dev/zero", `of=${this.#filler}`, "bs=4096", "oflag=append", "conv=notrunc"]);
  }

  empty(): void {
    rmSync(this.#filler, { force: true });
  }

  /** Processes that were killed may still hold files of it. */
  unmount(): void {
    spawnSync("umount", ["--lazy", this.directory]);
  }
}
