import { createHmac } from "node:crypto";

const PREFIX = "literal:";

/** HMAC in hex, equal for equal values anywhere. @param key of the installation: its owner could try out values */
export const literalVersion = (key: string, value: string): string =>
  createHmac("sha256", key).update(value).digest("hex");

/** Reference in plan and modules. */
export const literalReference = (version: string): string => PREFIX + version;

export const isLiteralReference = (text: string): boolean => /^literal:[0-9a-f]{64}$/.test(text);

/** Removes the scope in front, such as "captcha:". */
export const unscoped = (reference: string): string => reference.slice(reference.lastIndexOf(PREFIX));
