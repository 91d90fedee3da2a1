/** Characters of a path in the log, and of a reason: an id has 64, and 192 where each is escaped. */
const MAX_PATH = 256;
const MAX_REASON = 1_024;

/**
 * The path of a request as log and audit file keep it: as received, so that ids can be found, which are no secrets. Without query
 * and fragment, and without the authority of an absolute target, which may hold a password.
 */
export function loggedPath(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0] ?? "";
  return cut(path, MAX_PATH);
}

/** Names of resources and fields are part of a reason. */
export const loggedReason = (reason: string): string => cut(reason, MAX_REASON);

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
