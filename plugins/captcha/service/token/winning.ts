import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Report for the backend that asks (docs/captcha/price.md). */
export interface Winning {
  /** Usual work, more work, a picture or letters, sound, or work and a wait without a puzzle. */
  how: "none" | "work" | "picture" | "audio" | "patience";
  /** Difficulty 0..2 of the task, or of its replacement; 0 without one. */
  level: number;
  /** Heaviest first. */
  reasons: { code: string; weight: number }[];
  /** Attack level at the tick, 0..3. */
  attack: number;
  /** Charged networks. */
  networks: readonly string[];
}

const HOWS: readonly unknown[] = ["none", "work", "picture", "audio", "patience"] satisfies Winning["how"][];
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Size before sealing: with the longest values of all other claims a token stays below 2,048 characters. */
const MAX_BYTES = 340;

const keys = new WeakMap<Buffer, Buffer>();

function keyOf(secret: Buffer): Buffer {
  const known = keys.get(secret);
  if (known !== undefined) return known;
  const key = Buffer.from(hkdfSync("sha256", secret, "", "captcha winning", 32));
  keys.set(secret, key);
  return key;
}

/**
 * AES-256-GCM, bound to the token's request id, so that a browser can neither read nor move it and nothing is
 * stored. If the reasons are too long, the lightest are omitted.
 * @param secret "key-ring"
 */
export function sealWinning(winning: Winning, requestId: string, secret: Buffer): string {
  let { reasons } = winning;
  let text = textOf(winning, reasons);
  while (text.length > MAX_BYTES && reasons.length > 0) {
    reasons = reasons.slice(0, -1);
    text = textOf(winning, reasons);
  }
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret), iv).setAAD(Buffer.from(requestId, "utf8"));
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString(
    "base64url",
  );
}

const textOf = ({ how, level, attack, networks }: Winning, reasons: Winning["reasons"]): string =>
  JSON.stringify([how, level, attack, networks, reasons.flatMap(({ code, weight }) => [code, weight])]);

/** @returns undefined for a token of another secret or of a version that sealed nothing */
export function openWinning(sealed: unknown, requestId: string, secret: Buffer): Winning | undefined {
  if (typeof sealed !== "string") return undefined;
  const bytes = Buffer.from(sealed, "base64url");
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", keyOf(secret), bytes.subarray(0, IV_BYTES))
    .setAAD(Buffer.from(requestId, "utf8"))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
    return winningOf(JSON.parse(Buffer.concat([text, decipher.final()]).toString("utf8")));
  } catch {
    return undefined;
  }
}

/** Another version may have sealed the value. */
function winningOf(value: unknown): Winning | undefined {
  if (!Array.isArray(value)) return undefined;
  const [how, level, attack, networks, flat] = value as unknown[];
  if (!isHow(how) || typeof level !== "number" || typeof attack !== "number") return undefined;
  if (!Array.isArray(networks) || !Array.isArray(flat)) return undefined;
  const reasons = Array.from({ length: Math.floor(flat.length / 2) }, (_, i) => ({
    code: String(flat[2 * i]),
    weight: Number(flat[2 * i + 1]),
  }));
  return { how, level, attack, networks: networks.map(String), reasons };
}

const isHow = (value: unknown): value is Winning["how"] => HOWS.includes(value);
