/** The method behind `toString("latin1")`, without its dispatch over encodings; its types leave it out. */
interface WithLatin1Slice {
  latin1Slice(start: number, end: number): string;
}

/** `buffer[start, end)` as a byte string. */
export function latin1(buffer: Buffer, start: number, end: number): string {
  return (buffer as unknown as WithLatin1Slice).latin1Slice(start, end);
}
