import { type DescribedParameter, inQuery } from "../../process/operation.js";
import type { TimeRangeQuery } from "../overview/last-hour.js";
import { RING_SECONDS } from "../overview/ring.js";

const DEFAULT_SECONDS = 900;
const MIN_SECONDS = 10;
const SUBJECT = /^(routes|upstreams)\/(.+)$/s;

export const TIME_RANGE_PARAMETERS: readonly DescribedParameter[] = [
  inQuery("seconds", "Time span in seconds until now.", {
    ...{ type: "integer", minimum: MIN_SECONDS, maximum: RING_SECONDS, default: DEFAULT_SECONDS },
  }),
  inQuery("of", 'total covers this one only: "routes/shop", "upstreams/orders", "upstreams/route:shop".', {
    type: "string",
    pattern: SUBJECT.source,
  }),
];

export function readTimeRange(query: URLSearchParams): TimeRangeQuery | { fault: string } {
  const written = query.get("seconds") ?? String(DEFAULT_SECONDS);
  const seconds = Number(written);
  if (!/^\d{1,4}$/.test(written) || seconds < MIN_SECONDS || seconds > RING_SECONDS)
    return { fault: `invalid argument seconds: should be ${MIN_SECONDS} to ${RING_SECONDS}` };
  const of = query.get("of");
  if (of === null) return { seconds, of: null };
  const [, kind, id] = SUBJECT.exec(of) ?? [];
  if (kind === undefined || id === undefined)
    return { fault: 'invalid argument of: should be like "routes/shop" or "upstreams/orders"' };
  return { seconds, of: { kind: kind as "routes" | "upstreams", id } };
}
