import type { BodyFilter } from "../abi/exchange.js";

/** Default of `max_resp_body_size`: 64 MiB. */
const MAX_BYTES = 67_108_864;

/** A filter over a whole body. Bodies above `maxBytes` are answered 502, or passed unfiltered with `oversize: "pass"`. */
export function filter(
  apply: (text: string) => string,
  { maxBytes = MAX_BYTES, oversize = "refuse" }: { maxBytes?: number; oversize?: "refuse" | "pass" } = {},
): BodyFilter {
  return { apply, maxBytes, oversize };
}
