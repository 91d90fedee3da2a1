/**
 * SHA-256 of messages of up to 55 bytes (one block, FIPS 180-4), synchronous. `crypto.subtle` is fifty times
 * slower for small inputs (captcha reference 4.6), and browsers without WebAssembly need this, too.
 */

const ROUND = new Int32Array(64);
const START = new Int32Array(8);

/** Roots of the first primes (FIPS 180-4 sections 4.2.2 and 5.3.3), computed instead of listed. */
function fillConstants(): void {
  const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;
  let found = 0;
  for (let candidate = 2; found < 64; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++)
      if (candidate % divisor === 0) isPrime = false;
    if (!isPrime) continue;
    if (found < 8) START[found] = fraction(Math.sqrt(candidate));
    ROUND[found++] = fraction(Math.cbrt(candidate));
  }
}
fillConstants();

const schedule = new Int32Array(64);

/** @param block 16 big-endian words, padding and length included @param out words of the digest */
export function hashBlock(block: Int32Array, out: Int32Array): void {
  const w = schedule;
  for (let i = 0; i < 16; i++) w[i] = block[i] as number;
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15] as number;
    const y = w[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
  }
  let a = START[0] as number;
  let b = START[1] as number;
  let c = START[2] as number;
  let d = START[3] as number;
  let e = START[4] as number;
  let f = START[5] as number;
  let g = START[6] as number;
  let h = START[7] as number;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND[i] as number) + (w[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  out[0] = ((START[0] as number) + a) | 0;
  out[1] = ((START[1] as number) + b) | 0;
  out[2] = ((START[2] as number) + c) | 0;
  out[3] = ((START[3] as number) + d) | 0;
  out[4] = ((START[4] as number) + e) | 0;
  out[5] = ((START[5] as number) + f) | 0;
  out[6] = ((START[6] as number) + g) | 0;
  out[7] = ((START[7] as number) + h) | 0;
}
