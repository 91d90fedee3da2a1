// Generated from the schemas by `npm run types`. Change the schemas, not this file.

export const DEFAULTS = {
  timeoutMs: 2000,
  retries: 1,
  ca: null,
  version: null,
  methods: ["POST", "PUT", "PATCH", "DELETE"],
  tokenFrom: ["form", "multipart", "json"],
  field: "captcha-token",
  header: "x-captcha-token",
  pointer: ["captcha-token"],
  maxBodyBytes: 65536,
  maxMultipartBytes: 1048576,
  stripField: true,
  sendIp: true,
  policy: "fail-closed",
  rejectStatus: 403,
} as const;
