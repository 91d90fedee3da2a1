import { getSystemErrorName } from "node:util";

/** What an error says; anything else that was thrown as a text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What a machine may be out of, in words; nothing of it is the caller's fault, and it passes. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: "no file descriptor is left in this process",
  ENFILE: "no file descriptor is left on this machine",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk failed",
  EROFS: "the file system is read-only",
  ENOMEM: "no memory is left",
};

/** "no space left on the disk (ENOSPC)" for an error that says so, or whose cause does; undefined for any other. */
export function exhaustionOf(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const code = nameOf((cause as { code?: unknown }).code);
    if (Object.hasOwn(EXHAUSTED, code)) return `${EXHAUSTED[code]} (${code})`;
  }
  return undefined;
}

/** Reason of a failed write, in words of our own if the system has refused it: LMDB's message ends with numbers from memory that it never wrote. */
export const writeFaultOf = (error: unknown): string => exhaustionOf(error) ?? messageOf(error);

/** LMDB gives the number of a system's error, and its own errors numbers below zero. */
const nameOf = (code: unknown): string =>
  typeof code === "number" && code > 0 ? getSystemErrorName(-code) : String(code);
