import { createHmac } from "node:crypto";

const PREFIX = "literal:";

/**
 * HMAC, hex, by which a secret that settings write out is known: equal values share it wherever they stand.
 * @param key whoever has it can try out values, so it is a secret of the installation
 */
export const literalVersion = (key: string, value: string): string =>
  createHmac("sha256", key).update(value).digest("hex");

/** Name by which plan and modules refer to a literal of this version. */
export const literalReference = (version: string): string => PREFIX + version;

/** The same without the scope in front of it, "captcha:" for one. */
export const unscoped = (reference: string): string => reference.slice(reference.lastIndexOf(PREFIX));
