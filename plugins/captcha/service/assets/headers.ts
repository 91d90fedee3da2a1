/** The evergreen script: new versions arrive within minutes; any page may read it for `integrity`. */
export const EVERGREEN: Readonly<Record<string, string>> = {
  "Cache-Control": "public, max-age=300, stale-while-revalidate=86400",
  "Access-Control-Allow-Origin": "*",
  "Cross-Origin-Resource-Policy": "cross-origin",
};

/** The script under a name with its hash, for pages that pin it with `integrity` (A80). */
export const PINNED: Readonly<Record<string, string>> = {
  ...EVERGREEN,
  "Cache-Control": "public, max-age=31536000, immutable",
};

/** Loaded by the frames. Without COEP like the frame's, the worker's script would not start. */
export const OWN_ASSET: Readonly<Record<string, string>> = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/**
 * A worker obeys the policy of its own response (HTML section 10.2.4), so the frame's need not allow
 * WebAssembly. JavaScript's `eval` stays forbidden here too (CSP3 section 8.3).
 */
export const MEMORY_WORKER: Readonly<Record<string, string>> = {
  ...OWN_ASSET,
  "Content-Security-Policy": "default-src 'none'; script-src 'wasm-unsafe-eval'",
};

const POWERS = [
  "accelerometer",
  "autoplay",
  "camera",
  "display-capture",
  "encrypted-media",
  "fullscreen",
  "gamepad",
  "geolocation",
  "gyroscope",
  "hid",
  "identity-credentials-get",
  "magnetometer",
  "microphone",
  "midi",
  "otp-credentials",
  "payment",
  "picture-in-picture",
  "publickey-credentials-create",
  "publickey-credentials-get",
  "screen-wake-lock",
  "serial",
  "sync-xhr",
  "usb",
  "xr-spatial-tracking",
];
const NO_POWERS = POWERS.map((power) => `${power}=()`).join(", ");

/** @param ancestors pages that may embed the frame; "'none'" if empty */
export function frameFields(ancestors: readonly string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy.join("; "),
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Permissions-Policy": NO_POWERS,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
  };
}
