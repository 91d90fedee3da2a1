/** Headers in which gateways tell upstreams what they know of a request; no other source may send them. */
export const RESERVED_HEADERS = [
  "x-captcha-result",
  "x-captcha-request-id",
  "x-consumer-username",
  "x-consumer-custom-id",
  "x-consumer-groups",
  "x-credential-identifier",
] as const;
