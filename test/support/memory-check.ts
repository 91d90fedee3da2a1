import { existsSync } from "node:fs";
import { vi } from "vitest";

/** Folders of the architectures in Debian. */
const FOLDERS: Partial<Record<NodeJS.Architecture, string>> = { x64: "x86_64", arm64: "aarch64" };
const CHECK = `/usr/lib/${FOLDERS[process.arch]}-linux-gnu/libc_malloc_debug.so.0`;

/**
 * Makes glibc abort each process started from now on that corrupts its memory. From glibc 2.34 on
 * MALLOC_CHECK_ has no effect without the library of the check.
 * @param libraries others to load before
 */
export function checkMemory(...libraries: string[]): void {
  const isThere = existsSync(CHECK);
  if (!isThere)
    process.stderr.write(`memory of started processes is checked only by glibc below 2.34: no ${CHECK}\n`);
  vi.stubEnv("MALLOC_CHECK_", "3");
  vi.stubEnv("LD_PRELOAD", [...libraries, ...(isThere ? [CHECK] : [])].join(" "));
}
