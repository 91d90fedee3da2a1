import type { CaptchaParts, CaptchaRequest } from "../contract.js";
import { MEMORY_HASHES, memoryChallenge, takesMemory } from "../pow/memory-work.js";
import { newChallenge } from "../pow/proof.js";
import type { SessionAnswer, SessionRequest } from "../protocol.js";
import { ALL_SITE_KEYS, pressureOf } from "../score/network-signals.js";
import { isAllowedHostname } from "../verify/token-checks.js";
import { bitsFor } from "./cost.js";
import { shownProgram } from "./program.js";
import { ApiRejection } from "./refusal.js";
import { isTestKey, priceOfSession } from "./sale.js";
import {
  belongsTo,
  newId,
  newRequestId,
  putSession,
  SESSION_MS,
  type SessionRecord,
  usableSiteKey,
} from "./sessions.js";

/** Retry-After of a network above its limit: the rate window slides in steps of ten seconds. */
const RETRY_MS = 10_000;

/** POST /api/v1/session. @throws Refusal, StorageError */
export async function beginSession(
  parts: CaptchaParts,
  request: CaptchaRequest,
  { site_key, origin, action }: SessionRequest,
): Promise<SessionAnswer> {
  const live = parts.configuration();
  if (site_key === "") throw new ApiRejection(400, "missing_sitekey");
  const siteKey = usableSiteKey(live, site_key);
  if (siteKey === undefined) throw new ApiRejection(403, "invalid_sitekey");
  const hostname = hostnameOf(origin);
  const anywhere = isTestKey(parts, { id: site_key });
  if (hostname === undefined || !(anywhere || isAllowedHostname(hostname, siteKey.hostnames)))
    throw new ApiRejection(403, "hostname_not_allowed");
  const { limits } = live.settings;
  if (parts.rates.count("session", request.client, ALL_SITE_KEYS, 1) >= limits.sessionsHard)
    throw new ApiRejection(429, "rate_limited", RETRY_MS);
  parts.rates.add("session", request.client, site_key);
  const now = parts.clock.now();
  const pressure = pressureOf(parts.rates, request.client, limits);
  const { bits: price, attack } = priceOfSession({ parts, request, siteKey });
  const bits = bitsFor(siteKey.powBits, { pressure, price });
  const pow = takesMemory(siteKey, attack, parts.memory)
    ? memoryChallenge(bits, MEMORY_HASHES.tick)
    : newChallenge(bits);
  const session = newId();
  const record: SessionRecord = {
    site_key,
    hostname,
    ...(action === undefined ? {} : { action }),
    request_id: newRequestId(),
    ...belongsTo(request, live),
    pow: { ...pow, issued: now },
    program: { run: 1, issued: now },
    tasks: [],
    failed: 0,
    skipped: 0,
    retasked: 0,
    paid: 0,
    nextAt: 0,
  };
  await putSession(parts, session, record);
  return { session, pow, program: shownProgram(live, session, record), ttl_ms: SESSION_MS };
}

/** "shop.example.com:8443" of an origin as browsers write it; undefined for anything else, also for "null". */
function hostnameOf(origin: string): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { protocol, origin: own, hostname } = new URL(origin);
  return (protocol === "https:" || protocol === "http:") && own === origin ? hostname : undefined;
}
