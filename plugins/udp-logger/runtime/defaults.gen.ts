// Generated from the schemas by `npm run types`. Change the schemas, not this file.

export const DEFAULTS = {
  destination: {
    tls: false,
    framing: "newline",
    flushLimit: 4194304,
    dropLimit: 1073741824,
    poolSize: 5,
    sockType: "udp",
    timeoutMs: 3000,
    maxDatagram: 65507,
  },
  batch: { name: "udp logger" },
} as const;
