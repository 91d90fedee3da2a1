/**
 * Reserved headers of the gateway itself, in lower case: only it sends them to an upstream. Plugins declare
 * further ones.
 */
export const RESERVED_HEADERS = [
  "x-consumer-username",
  "x-consumer-custom-id",
  "x-consumer-groups",
  "x-credential-identifier",
] as const;

/** Headers that name the client or its request; only a trusted proxy's are believed. */
export const FORWARDING_HEADERS = [
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
  "forwarded",
] as const;

/** Maximum length of a reserved header: the codec indexes them by length. */
export const MAX_RESERVED_LENGTH = 64;
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
/** Headers that clients must be able to send, or that the gateway reads itself. */
const NOT_RESERVABLE: ReadonlySet<string> = new Set([
  ...["authorization", "connection", "content-length", "content-type", "cookie", "expect", "host"],
  ...["keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade"],
  ...FORWARDING_HEADERS,
]);

const names = new Set<string>(RESERVED_HEADERS);
const declared: string[] = [];
const observers: ((lower: string) => void)[] = [];

/** Returns the reason why a plugin cannot reserve a header, or undefined. */
export function reservedHeaderFault(name: string): string | undefined {
  const lower = name.toLowerCase();
  if (lower.length > MAX_RESERVED_LENGTH) return `it is longer than ${MAX_RESERVED_LENGTH} characters`;
  if (!NAME.test(lower)) return "it is not letters and digits in words joined by hyphens";
  return NOT_RESERVABLE.has(lower) ? "the gateway reads it from clients" : undefined;
}

/**
 * Reserves the headers that a plugin declares, in this process and for good. Several plugins may declare one.
 * @throws Error for a name that cannot be reserved
 */
export function reserveHeaders(declaration: readonly string[]): void {
  for (const name of declaration) {
    const fault = reservedHeaderFault(name);
    if (fault !== undefined) throw new Error(`the header "${name}" cannot be reserved: ${fault}`);
    const lower = name.toLowerCase();
    if (names.has(lower)) continue;
    names.add(lower);
    declared.push(lower);
    for (const observer of observers) observer(lower);
  }
}

/** Reports whether the gateway or a plugin reserves a header. @param lower name in lower case */
export const isReservedHeader = (lower: string): boolean => names.has(lower);

/** Calls the observer with each header that a plugin has reserved or will reserve, in lower case. */
export function onReservedHeader(observer: (lower: string) => void): void {
  observers.push(observer);
  for (const lower of declared) observer(lower);
}
