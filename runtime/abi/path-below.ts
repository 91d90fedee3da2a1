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
