/** Headers about the verdict for the upstream; both halves of the plugin declare them as reserved. */

export const RESULT = "X-Captcha-Result";
export const REQUEST_ID = "X-Captcha-Request-Id";

export const RESERVED = [RESULT, REQUEST_ID] as const;
