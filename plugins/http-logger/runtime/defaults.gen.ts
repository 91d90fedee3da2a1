// Generated from the schemas by `npm run types`. Change the schemas, not this file.

export const DEFAULTS = {
  destination: {
    method: "POST",
    timeoutMs: 3000,
    verify: true,
    format: "json",
    compression: "none",
    records: 1000,
  },
  batch: { name: "http logger" },
} as const;
