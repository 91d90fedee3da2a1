import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { messageOf } from "./error-message.js";

/** Error for a path that is no regular file, or a file above the limit. */
export class UnreadableFileError extends Error {}

/** Maximum of a key or a signature file. */
export const MAX_KEY_BYTES = 65_536;
/** Maximum of a text in a package: its manifest, a schema, a template. */
export const MAX_ASSET_BYTES = 1_048_576;
/** Maximum of any other file: the longest text of V8. */
export const MAX_FILE_BYTES = 536_870_888;

/** O_NONBLOCK: opening a FIFO that replaced the file since `stat` does not block, and `fstat` detects it. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Reads a regular file of limited size in a directory that others may write to: opening a FIFO waits for a
 * writer, and a link to /dev/zero has no end. A link to such a file is followed.
 * @param scratch buffer for files that fit: half of the time of an allocation each
 * @throws UnreadableFileError, or the error of the file system
 */
export function readRegularFile(path: string, maxBytes: number, scratch?: Buffer): Buffer {
  return withRegularFile(path, maxBytes, (descriptor, size) => {
    // One byte more than the size detects a file that grows, or one of /proc, whose size is 0.
    const fits = scratch !== undefined && size < scratch.length;
    let bytes = fits ? scratch : Buffer.allocUnsafe(size + 1);
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, bytes, length, bytes.length - length, null);
      length += read;
      if (read === 0 || (read > 0 && length === size && fits)) return bytes.subarray(0, length);
      if (length > maxBytes) throw tooLarge(length, maxBytes);
      if (length === bytes.length) bytes = grown(bytes, maxBytes);
    }
  });
}

/** Reads malformed bytes as U+FFFD. @throws UnreadableFileError, or the error of the file system */
export function readRegularText(path: string, maxBytes: number = MAX_FILE_BYTES): string {
  return readRegularFile(path, maxBytes).toString("utf8");
}

/** Reads a file of any size. @throws UnreadableFileError, or the error of the file system */
export function readHead(path: string, bytes: number): Buffer {
  return withRegularFile(path, Number.POSITIVE_INFINITY, (descriptor) => {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(descriptor, head, 0, bytes, 0));
  });
}

/** Returns "it is not a regular file", "ENOENT". */
export const unreadableReason = (error: unknown): string =>
  error instanceof UnreadableFileError
    ? error.message
    : ((error as NodeJS.ErrnoException).code ?? messageOf(error));

function withRegularFile<T>(path: string, maxBytes: number, use: (descriptor: number, size: number) => T): T {
  // Before the open, which has side effects on some devices (watchdog(4), st(4)).
  checkRegular(statSync(path), maxBytes);
  const descriptor = openSync(path, FLAGS);
  try {
    const stat = fstatSync(descriptor);
    checkRegular(stat, maxBytes);
    return use(descriptor, stat.size);
  } finally {
    closeSync(descriptor);
  }
}

function checkRegular(stat: { isFile(): boolean; size: number }, maxBytes: number): void {
  if (!stat.isFile()) throw new UnreadableFileError("it is not a regular file");
  if (stat.size > maxBytes) throw tooLarge(stat.size, maxBytes);
}

const tooLarge = (bytes: number, maxBytes: number) =>
  new UnreadableFileError(`it has ${bytes} bytes; the limit is ${maxBytes}`);

function grown(bytes: Buffer, maxBytes: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.min(bytes.length * 2, maxBytes) + 1);
  bytes.copy(larger);
  return larger;
}

/** Code points that HFS+ ignores in names, as git's `is_hfs_dotgit` lists them (utf8.c). */
const HFS_IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
/** NTFS drops blanks and dots at the end, and reads the rest behind ":" as a stream; "git~1" is short for ".git". */
const NTFS_DOT_GIT = /^(?:\.git|git~1)[ .]*(?::.*)?$/is;

/** Nearly all names, which no check below rejects. */
const PLAIN = /^\w[\w.-]*(?:\/\w[\w.-]*)*$/;

/**
 * @returns why a path with "/" may not be written or read below a folder, by the rules of git's
 * `verify_path`: both slashes separate names, as on NTFS
 */
export function pathFault(path: string): string | undefined {
  if (PLAIN.test(path)) return undefined;
  if (path === "") return "is empty";
  if (path.includes("\0")) return "contains a NUL";
  if (/^[/\\]/.test(path) || /^[A-Za-z]:/.test(path)) return "is absolute";
  for (const name of path.split(/[/\\]/)) {
    if (name === "") return "contains an empty name";
    if (name === "." || name === "..") return `holds "${name}"`;
    if (NTFS_DOT_GIT.test(name.replace(HFS_IGNORED, ""))) return 'leads into a ".git"';
  }
  return undefined;
}
