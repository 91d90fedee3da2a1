import { constants } from "node:os";

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
  for (const code of codesOf(error)) {
    const name = nameOf(code);
    if (Object.hasOwn(EXHAUSTED, name)) return `${EXHAUSTED[name]} (${name})`;
  }
  return undefined;
}

/** Codes of an error and of what caused it. */
function* codesOf(error: unknown): Generator<unknown> {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
    yield (cause as { code?: unknown }).code;
}

/** Reason of a failed write, in words of our own if the system has refused it: LMDB's message ends with numbers from memory that it never wrote. */
export function writeFaultOf(error: unknown): string {
  const known = exhaustionOf(error);
  if (known !== undefined) return known;
  const code = [...codesOf(error)].find(isOfSystem);
  return code === undefined ? messageOf(error) : `the system refused it (${nameOf(code)})`;
}

/** LMDB gives the number of a system's error, and its own errors numbers below zero; errors of Node have names. */
export const isOfSystem = (code: unknown): boolean => typeof code === "number" && code > 0;

/** Node's own names lack some that a disk behind a network has, such as ESTALE. */
function nameOf(code: unknown): string {
  if (!isOfSystem(code)) return String(code);
  const [name = `error ${code}`] =
    Object.entries(constants.errno).find(([, number]) => number === code) ?? [];
  return name;
}
