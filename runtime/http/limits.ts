/** Limits of the data path; each has a default, a name under `gw.limits` and a test that hits it. Zero means no limit only where said. */
export interface Limits {
  /** Request or response head in bytes, start line and fields; above: 431 to clients, 502 for upstreams. */
  headerBytes: number;
  /** Fields in a head; above: 431 to clients, 502 for upstreams. */
  headerCount: number;
  /** Request target in bytes; above: 414. */
  targetBytes: number;
  /** Request body in bytes; above: 413. 0 = no limit (bodies stream, they cost no memory). */
  bodyBytes: number;
  /** Trailer section in bytes; above: 431 to clients, 502 for upstreams. */
  trailerBytes: number;
  /** Chunk extensions of one chunk in bytes; above: 400 to clients, 502 for upstreams. */
  chunkExtensionBytes: number;
  /** Sum of the bodies held for filters in this process; above: 503. Logs take at most half of it, and less when it is used up. */
  bufferedBodyBytes: number;
  /** Interim (1xx) responses that the client of one request gets, of all attempts together; further ones are dropped. */
  interimResponses: number;
  /** Connections of this process; above: closed at once. */
  connections: number;
  /** Requests on one client connection before it is closed. */
  requestsPerConnection: number;
  /** Milliseconds from the first byte of a head to its end; above: 408. */
  headerTimeout: number;
  /** Milliseconds between two pieces of a request body, or of a response the client does not take; above: 408 or close. */
  bodyTimeout: number;
  /** Bytes a second that a client must send of a body at the least, on the mean and after 10 s; below: 408. 0 = no least rate. */
  requestBodyRate: number;
  /** Bytes a second that a client must take of what waits for it, on the mean and after 10 s; below: closed. 0 = no least rate. */
  responseBodyRate: number;
  /** Milliseconds a kept connection may be without a request. */
  idleTimeout: number;
  /** Milliseconds from a connection to the end of its TLS handshake. */
  handshakeTimeout: number;
  /** TLS handshakes under way; above: the oldest is closed. */
  handshakes: number;
}

export const DEFAULT_LIMITS: Readonly<Limits> = {
  headerBytes: 32_768,
  headerCount: 256,
  targetBytes: 16_384,
  bodyBytes: 0,
  trailerBytes: 8_192,
  chunkExtensionBytes: 1_024,
  bufferedBodyBytes: 268_435_456,
  interimResponses: 8,
  connections: 16_384,
  requestsPerConnection: 1_000_000,
  headerTimeout: 10_000,
  bodyTimeout: 60_000,
  requestBodyRate: 240,
  responseBodyRate: 240,
  idleTimeout: 75_000,
  handshakeTimeout: 10_000,
  handshakes: 1_024,
};

/** Limits as `gw.limits` writes them (schema/deployment.json): snake case, times in seconds; the rest keep their defaults. */
export function limitsFrom(settings: Readonly<Record<string, unknown>>): Limits {
  const limits: Record<string, number> = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(settings)) {
    const field = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (typeof value !== "number" || !Object.hasOwn(DEFAULT_LIMITS, field)) continue;
    limits[field] = field.endsWith("Timeout") ? value * 1000 : value;
  }
  return limits as unknown as Limits;
}
