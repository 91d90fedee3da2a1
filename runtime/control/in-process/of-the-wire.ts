/** Fields that the wire writes, or that name gateway and moment. */
export const OF_THE_WIRE: readonly string[] = [
  "connection",
  "content-length",
  "date",
  "keep-alive",
  "server",
  "transfer-encoding",
];
