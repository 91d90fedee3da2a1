// Generated from the schemas by `npm run types`. Change the schemas, not this file.

export const DEFAULTS = { destination: {}, batch: { name: "file logger", inactiveTimeout: 1, maxRetryCount: 60 } } as const;
