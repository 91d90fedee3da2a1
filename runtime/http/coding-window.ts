/** Bytes of text that a decoder keeps at most, so that what follows may refer to them; `first`: the first bytes of the body. */
export function windowOf(coding: string, first: Buffer): number {
  if (coding === "br") return brotliWindow(first[0] ?? 0);
  if (coding === "zstd") return zstdWindow(first);
  // DEFLATE has 32 kB, less than the buffers of a connection.
  return 0;
}

/** RFC 7932 section 9.1: 1, 4 or 7 bits. */
function brotliWindow(bits: number): number {
  if ((bits & 1) === 0) return 1 << 16;
  const large = (bits >> 1) & 7;
  if (large !== 0) return 1 << (17 + large);
  const small = (bits >> 4) & 7;
  return small === 0 ? 1 << 17 : 1 << (8 + small);
}

/** RFC 9659: more than 8 MiB are refused. RFC 8878 section 3.1.1.1: a frame of one segment has no window, but its size. */
const MAX_ZSTD_WINDOW = 8_388_608;

function zstdWindow(first: Buffer): number {
  const single = ((first[4] ?? 0) & 0x20) !== 0;
  if (single || first.length < 6) return MAX_ZSTD_WINDOW;
  const descriptor = first[5] ?? 0;
  const base = 2 ** (10 + (descriptor >> 3));
  return Math.min(MAX_ZSTD_WINDOW, base + (base / 8) * (descriptor & 7));
}
