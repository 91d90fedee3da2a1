// Generated from the schemas by `npm run types`. Change the schemas, not this file.

export const DEFAULTS = {
  destination: {
    sockType: "tcp",
    tls: false,
    framing: "newline",
    timeoutMs: 1000,
    flushLimit: 4194304,
    dropLimit: 1073741824,
    poolSize: 5,
  },
  batch: { name: "tcp logger" },
} as const;
