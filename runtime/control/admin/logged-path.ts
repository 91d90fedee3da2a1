/** Maximum lengths of a path and a reason in the log: an id has 64 characters, 192 if each is escaped. */
const MAX_PATH = 256;
const MAX_REASON = 1_024;

/**
 * Returns the path of a request for the log and the audit log: as received, so that ids, which are not
 * secret, can be found. Omits query, fragment, and the authority of an absolute target with its password.
 */
export function loggedPath(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0] ?? "";
  return cut(path, MAX_PATH);
}

/** Cuts a reason, which may contain names of resources and fields from the client. */
export const loggedReason = (reason: string): string => cut(reason, MAX_REASON);

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);
