/** Headers that depend on the wire, the gateway or the time. */
export const WIRE_HEADERS: readonly string[] = [
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "server",
  "transfer-encoding",
];
