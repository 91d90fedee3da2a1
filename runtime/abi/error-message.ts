import { constants } from "node:os";

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Resources that a machine may run out of: never the caller's fault, and temporary. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: "this process has no free file descriptors",
  ENFILE: "this machine has no free file descriptors",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is exceeded",
  EIO: "the disk failed",
  EROFS: "the file system is read-only",
  ENOMEM: "out of memory",
};

/** Returns "no space left on the disk (ENOSPC)" if the error, or its cause, is that of an exhausted machine. */
export function exhaustionOf(error: unknown): string | undefined {
  for (const code of codesOf(error)) {
    const name = nameOf(code);
    if (Object.hasOwn(EXHAUSTED, name)) return `${EXHAUSTED[name]} (${name})`;
  }
  return undefined;
}

function* codesOf(error: unknown): Generator<unknown> {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1)
    yield (cause as { code?: unknown }).code;
}

/** If the system failed the write, the text is our own: LMDB's has numbers from memory that it never wrote. */
export function writeFaultOf(error: unknown): string {
  const known = exhaustionOf(error);
  if (known !== undefined) return known;
  const code = [...codesOf(error)].find(isOfSystem);
  return code === undefined ? messageOf(error) : `the system call failed (${nameOf(code)})`;
}

/** LMDB passes numbers of system errors on; its own are below zero, and Node's are names. */
export const isOfSystem = (code: unknown): boolean => typeof code === "number" && code > 0;

/** Node's own names lack some that a network disk has, such as ESTALE. */
function nameOf(code: unknown): string {
  if (!isOfSystem(code)) return String(code);
  const [name = `error ${code}`] =
    Object.entries(constants.errno).find(([, number]) => number === code) ?? [];
  return name;
}
