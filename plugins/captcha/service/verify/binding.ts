import { createHmac, timingSafeEqual } from "node:crypto";
import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { ClientAddress, VerificationRecord } from "../contract.js";
import { addressBytes, networkOf, PREFIX_BITS } from "../http/address.js";

const FORM = /^([46])\/(\d{1,3})\/([A-Za-z0-9_-]{43})$/;

/**
 * Claim `ipb` (reference 5.5): "<family>/<bits>/<HMAC of the network>", so that a token does not reveal the
 * address of its visitor. Undefined if the site key binds nothing.
 * @param secret "ip-binding", 32 bytes
 */
export function addressBinding(
  client: ClientAddress,
  mode: CaptchaSiteKey["ipBinding"],
  secret: Buffer,
): string | undefined {
  if (mode === "off") return undefined;
  const { family } = client;
  const bits = mode !== "exact" ? PREFIX_BITS[family] : family === 4 ? 32 : 128;
  return `${family}/${bits}/${digest(client, bits, secret).toString("base64url")}`;
}

/** Pseudonym of a full address in claims: 96 bits of its HMAC. */
export const addressMark = (client: ClientAddress, secret: Buffer): string =>
  digest(client, client.family === 4 ? 32 : 128, secret)
    .toString("base64url")
    .slice(0, 16);

/**
 * Another family is no contradiction with `dual_stack`, since a browser may reach the captcha over IPv6 and
 * the site over IPv4. So a token that was solved over one family is valid at any address of the other.
 */
export function compareBinding(
  claim: unknown,
  client: ClientAddress,
  mode: CaptchaSiteKey["ipBinding"],
  secret: Buffer,
): Exclude<VerificationRecord["ip"], "absent"> {
  if (mode === "off" || claim === undefined) return "off";
  const [, family, bits, mac] = (typeof claim === "string" && FORM.exec(claim)) || [];
  if (family === undefined || bits === undefined || mac === undefined) return "mismatch";
  if (Number(family) !== client.family) return mode === "dual_stack" ? "family_differs" : "mismatch";
  const same = timingSafeEqual(digest(client, Number(bits), secret), Buffer.from(mac, "base64url"));
  return same ? "same" : "mismatch";
}

function digest({ text, family }: ClientAddress, bits: number, secret: Buffer): Buffer {
  const network = networkOf(addressBytes(text) ?? [], bits);
  // The family precedes the network, and the network has one spelling: no two inputs are one text (W2).
  return createHmac("sha256", secret).update(`${family} ${network}`).digest();
}
