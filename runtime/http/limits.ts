/** Limits of the data path: each has a default, a name under `gw.limits` and a test. 0 disables only where stated. */
const LIMITS = {
  /** Request or response head in bytes, start line and headers; above: 431 to clients, 502 for upstreams. */
  headerBytes: 32_768,
  /** Headers in a head; above: 431 to clients, 502 for upstreams. */
  headerCount: 256,
  /** Request target in bytes; above: 414. */
  targetBytes: 16_384,
  /** Request body in bytes; above: 413. 0 disables the limit (bodies stream, they cost no memory). */
  bodyBytes: 0,
  /** Trailer section in bytes; above: 431 to clients, 502 for upstreams. */
  trailerBytes: 8_192,
  /** Chunk extensions of one chunk in bytes; above: 400 to clients, 502 for upstreams. */
  chunkExtensionBytes: 1_024,
  /**
   * Total bytes of bodies that this process buffers for filters; above: 503. Logs use at most half, and less
   * when it is used up.
   */
  bufferedBodyBytes: 268_435_456,
  /** Interim (1xx) responses to one request, of all attempts together; the rest is dropped. */
  interimResponses: 8,
  /** Connections of this process; above: closed immediately. */
  connections: 16_384,
  /** Requests on one client connection before it is closed. */
  requestsPerConnection: 1_000_000,
  /** Timeout from the first byte of a head to its end, in ms; above: 408. */
  headerTimeout: 10_000,
  /** Timeout in ms between pieces of a request body, or of a response that the client drains; above: 408 or close. */
  bodyTimeout: 60_000,
  /** Min rate of a request body in bytes per second, on average after 10 s; below: 408. 0 disables it. */
  requestBodyRate: 240,
  /** Min rate in bytes/s at which a client drains output, on average after 10 s; below: closed. 0 disables it. */
  responseBodyRate: 240,
  /** Timeout of an idle connection in ms. */
  idleTimeout: 75_000,
  /** Timeout from the accepted connection to the end of its TLS handshake, in ms. */
  handshakeTimeout: 10_000,
  /** Concurrent TLS handshakes; above: the oldest is closed. */
  handshakes: 1_024,
};

export type Limits = typeof LIMITS;
export const DEFAULT_LIMITS: Readonly<Limits> = LIMITS;

/** Reads `gw.limits` (schema/deployment.json): snake case, times in seconds; absent limits keep their defaults. */
export function limitsFrom(settings: Readonly<Record<string, unknown>>): Limits {
  const limits: Record<string, number> = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(settings)) {
    const field = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (typeof value !== "number" || !Object.hasOwn(DEFAULT_LIMITS, field)) continue;
    limits[field] = field.endsWith("Timeout") ? value * 1000 : value;
  }
  return limits as unknown as Limits;
}
