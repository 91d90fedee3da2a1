/** Fields that the wire writes, or that name gateway and moment. */
export const WIRE_HEADERS: readonly string[] = [
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "server",
  "transfer-encoding",
];
