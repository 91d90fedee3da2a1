import { type CaptchaCustomer, type CaptchaSiteKey, TASK_TYPES } from "../../runtime/abi/captcha.js";
import { environmentReferences } from "../../runtime/abi/environment.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import { idSpan } from "./duplicates.js";
import type { Inventory } from "./inventory.js";
import type { ResolveContext, ResolvedCaptcha } from "./resolved.js";
import type { Kind, Resource } from "./resource.js";
import { checkReferences } from "./route.js";
import type { CaptchaApiKeyValue, CaptchaCustomerValue, CaptchaSiteKeyValue } from "./values.js";

type Report = (diagnostic: Diagnostic) => void;

/**
 * The captcha's resources, checked together: there are few, and each may hold what concerns another.
 * @param now epoch seconds, for keys that expire; undefined: none has expired
 */
export function resolveCaptcha(
  inventory: Inventory,
  surroundings: Pick<ResolveContext, "incomplete">,
  now: number | undefined,
  report: Report,
): ResolvedCaptcha {
  const sorted = <T>(kind: Kind): Resource<T>[] =>
    [...(inventory.all(kind).values() as Iterable<Resource<T>>)].sort((a, b) => (a.id < b.id ? -1 : 1));
  const siteKeys = sorted<CaptchaSiteKeyValue>("captcha_site_keys");
  const apiKeys = sorted<CaptchaApiKeyValue>("captcha_api_keys");
  if (!surroundings.incomplete)
    for (const key of [...siteKeys, ...apiKeys]) checkReferences(key, inventory, report);
  for (const key of siteKeys) checkTasks(key, report);
  for (const key of apiKeys) checkKey(key, report);
  // In the order of writing: of too many it is the last one that is too much.
  const written = [...inventory.all("captcha_api_keys").values()] as Resource<CaptchaApiKeyValue>[];
  checkLiveKeys(written, now, report);
  return {
    customers: sorted<CaptchaCustomerValue>("captcha_customers").map(customer),
    siteKeys: siteKeys.map(siteKey),
    apiKeys: apiKeys.map(apiKey),
  };
}

function customer({ id, value }: Resource<CaptchaCustomerValue>): CaptchaCustomer {
  return { id, enabled: value.enabled ?? true };
}

/** Every write resolves all keys: with 10,000 of them, parsing their hosts anew took most of it. */
const known = new WeakMap<Resource<CaptchaSiteKeyValue>, CaptchaSiteKey>();

function siteKey(resource: Resource<CaptchaSiteKeyValue>): CaptchaSiteKey {
  const before = known.get(resource);
  if (before) return before;
  const made = withDefaults(resource);
  known.set(resource, made);
  return made;
}

function withDefaults({ id, value }: Resource<CaptchaSiteKeyValue>): CaptchaSiteKey {
  return {
    id,
    customer: String(value.customer),
    enabled: value.enabled ?? true,
    hostnames: [...new Set(value.hostnames.map(canonicalHost))],
    threshold: value.threshold ?? 0.5,
    challengeMode: value.challenge_mode ?? "adaptive",
    taskTypes: value.task_types ?? [...TASK_TYPES],
    powBits: value.pow_bits ?? 14,
    ipBinding: value.ip_binding ?? "prefix",
    tokenTtl: value.token_ttl ?? 300,
    exposeScore: value.expose_score ?? false,
    shadow: value.shadow ?? false,
    languages: value.languages ?? ["ru", "en"],
    theme: value.theme ?? "auto",
  };
}

/** As `location.hostname` has it: lower case, IPv6 compressed and in brackets. */
function canonicalHost(host: string): string {
  const bracketed = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const { hostname } = URL.canParse(`http://${bracketed}`)
    ? new URL(`http://${bracketed}`)
    : { hostname: host };
  return hostname.toLowerCase().replace(/\.$/, "");
}

function apiKey({ id, value, spans }: Resource<CaptchaApiKeyValue>): ResolvedCaptcha["apiKeys"][number] {
  const { expires, key, digest = null, enabled = true } = value;
  return {
    id,
    customer: String(value.customer),
    enabled,
    expires: epochSeconds(expires) ?? null,
    digest,
    ...(key !== undefined && { key: { text: key, span: spans.value(["key"]) } }),
  };
}

/** Whatever fraction of a second was written is cut off. */
function epochSeconds(expires: string | number | undefined): number | undefined {
  return typeof expires === "string" ? Math.floor(Date.parse(expires) / 1000) : expires;
}

/** Text and audio ask for transcription, which WCAG 2.2 (3.3.8) accepts only as a choice. */
function checkTasks({ value, spans }: Resource<CaptchaSiteKeyValue>, report: Report): void {
  const [type, ...others] = value.task_types ?? [];
  if (others.length === 0 && (type === "text" || type === "audio"))
    report(diagnostic("GW3053", spans.value(["task_types"]), { type }));
}

function checkKey({ id, value, spans }: Resource<CaptchaApiKeyValue>, report: Report): void {
  const { key, digest } = value;
  if (key === undefined && digest === undefined) report(diagnostic("GW3054", spans.value([]), { id }));
  if (key === undefined || environmentReferences(key).length > 0) return;
  if (key.slice(4, 12) !== id) report(diagnostic("GW3052", spans.value(["key"]), { id }));
}

/** At most two keys of a customer are good for verifications: one in use, and the one that takes its place. */
const LIVE_KEYS = 2;

function checkLiveKeys(
  keys: readonly Resource<CaptchaApiKeyValue>[],
  now: number | undefined,
  report: Report,
): void {
  const live = new Map<string, Resource<CaptchaApiKeyValue>[]>();
  for (const key of keys) {
    const { customer, enabled = true, expires } = key.value;
    if (now !== undefined && (epochSeconds(expires) ?? Number.POSITIVE_INFINITY) <= now) {
      if (key.from === "file") report(diagnostic("GW3055", key.spans.value(["expires"]), { id: key.id }));
    } else if (enabled) live.set(String(customer), [...(live.get(String(customer)) ?? []), key]);
  }
  for (const [customer, ofCustomer] of live) {
    const extra = ofCustomer.at(-1);
    if (ofCustomer.length <= LIVE_KEYS || !extra) continue;
    const notes = ofCustomer
      .slice(0, -1)
      .map((key) => ({ message: `"${key.id}" is live as well`, span: idSpan(key) }));
    report(diagnostic("GW3050", idSpan(extra), { customer }, { notes }));
  }
}
