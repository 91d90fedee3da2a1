/** What an error says; anything else that was thrown as a text. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What a machine may be out of, in words; nothing of it is the caller's fault, and it passes. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: "no file descriptor is left in this process",
  ENFILE: "no file descriptor is left on this machine",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk failed",
  EROFS: "the file system is read-only",
  ENOMEM: "no memory is left",
};

/** "the disk is full (ENOSPC)" for an error that says so, or whose cause does; undefined for any other. */
export function exhaustionOf(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== undefined && Object.hasOwn(EXHAUSTED, code)) return `${EXHAUSTED[code]} (${code})`;
  }
  return undefined;
}
