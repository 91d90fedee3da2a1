// Generated from the schemas by `npm run types`. Change the schemas, not this file.

export const LOGGER_DEFAULTS = {
  batch: {
    batchMaxSize: 1000,
    inactiveTimeout: 5,
    bufferDuration: 60,
    maxRetryCount: 0,
    retryDelay: 1,
    maxPendingEntries: 8192,
    maxPendingBytes: 67108864,
  },
  delivery: "memory",
  ack: "log",
  redact: {
    headers: [
      "authorization",
      "proxy-authorization",
      "cookie",
      "set-cookie",
      "x-api-key",
      "apikey",
      "x-captcha-token",
    ],
    query: ["apikey", "api_key", "access_token", "token", "jwt", "captcha-token", "/verify?ip"],
  },
  recordId: false,
} as const;

export const DURABLE_DEFAULTS = { spool: { maxBytes: 1073741824, onFull: "refuse" }, recordId: true } as const;
