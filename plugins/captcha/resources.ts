import { diagnostic, environmentReferences } from "../../compiler/plugin-api.js";
import {
  canonicalHash,
  type KeepSecret,
  type Resource,
  type ResourceCheck,
  type ResourceTable,
} from "../../compiler/service-api.js";
import {
  type CaptchaApiKey,
  type CaptchaCustomer,
  type CaptchaSiteKey,
  type CaptchaTable,
  TASK_TYPES,
  type TaskType,
  type Way,
} from "./captcha-table.js";
import type * as Written from "./schema.gen.js";

type Report = ResourceCheck["report"];
type Customer = Resource<Partial<Written.CaptchaCustomer>>;
type SiteKey = Resource<
  Partial<Written.CaptchaSiteKey> & Pick<Written.CaptchaSiteKey, "customer" | "hostnames">
>;
type ApiKey = Resource<Partial<Written.CaptchaApiKey> & Pick<Written.CaptchaApiKey, "customer">>;

/** Checked together: there are few resources, and each may concern another. */
export const TABLE: ResourceTable<CaptchaTable> = {
  check(resources, { now, report }) {
    for (const key of resources.sorted<SiteKey["value"]>("captcha_site_keys")) checkTasks(key, report);
    for (const key of resources.sorted<ApiKey["value"]>("captcha_api_keys")) checkKey(key, report);
    // In the order of the files: of too many keys the last one is reported.
    checkLiveKeys(resources.written<ApiKey["value"]>("captcha_api_keys"), now, report);
  },
  plan: (resources, secret) => ({
    customers: resources.sorted<Customer["value"]>("captcha_customers").map(customer),
    siteKeys: resources.sorted<SiteKey["value"]>("captcha_site_keys").map(siteKey),
    apiKeys: resources.sorted<ApiKey["value"]>("captcha_api_keys").map((key) => apiKey(key, secret)),
  }),
  hash,
};

function customer({ id, value }: Customer): CaptchaCustomer {
  return { id, enabled: value.enabled ?? true };
}

/** Every write resolves all keys: with 10,000 of them, parsing their hosts again took most of the time. */
const known = new WeakMap<SiteKey, CaptchaSiteKey>();

function siteKey(resource: SiteKey): CaptchaSiteKey {
  const before = known.get(resource);
  if (before) return before;
  const made = withDefaults(resource);
  known.set(resource, made);
  return made;
}

function withDefaults({ id, value }: SiteKey): CaptchaSiteKey {
  return {
    id,
    customer: String(value.customer),
    enabled: value.enabled ?? true,
    hostnames: [...new Set(value.hostnames.map(canonicalHost))],
    embedHosts: [...new Set((value.embed_hosts ?? []).map(canonicalHost))],
    threshold: value.threshold ?? 0.5,
    challengeMode: value.challenge_mode ?? "adaptive",
    taskTypes: typesOf(value.task_types),
    patience: value.task_types?.includes("patience") ?? true,
    powBits: value.pow_bits ?? 14,
    work: value.work ?? "adaptive",
    ipBinding: value.ip_binding ?? "prefix",
    tokenTtl: value.token_ttl ?? 300,
    exposeScore: value.expose_score ?? false,
    shadow: value.shadow ?? false,
    languages: value.languages ?? ["ru", "en"],
    theme: value.theme ?? "auto",
    operator:
      value.operator === undefined ? null : { name: value.operator.name, link: value.operator.link ?? null },
  };
}

const typesOf = (ways: readonly Way[] = TASK_TYPES): TaskType[] => ways.filter((way) => way !== "patience");

/** Lower case as in `location.hostname`; IPv6 compressed and in brackets. */
function canonicalHost(host: string): string {
  const bracketed = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const { hostname } = URL.canParse(`http://${bracketed}`)
    ? new URL(`http://${bracketed}`)
    : { hostname: host };
  return hostname.toLowerCase().replace(/\.$/, "");
}

function apiKey({ id, value, spans }: ApiKey, secret: KeepSecret): CaptchaApiKey {
  const { expires, key, digest = null, enabled = true } = value;
  const place = `api_key:${id}:captcha_api_keys.${id}.key`;
  return {
    id,
    customer: String(value.customer),
    enabled,
    expires: epochSeconds(expires) ?? null,
    digest,
    secret: key === undefined ? null : secret(key, place, spans.value(["key"])),
  };
}

/** Rows of site keys stay the same objects from write to write. */
const hashes = new WeakMap<object, string>();

/** Combines the hashes of the rows: a write changes one of many. */
function hash({ customers, siteKeys, apiKeys }: CaptchaTable): string {
  const rows = siteKeys.map((row) => {
    const known = hashes.get(row) ?? canonicalHash(row);
    hashes.set(row, known);
    return known;
  });
  return canonicalHash({ customers, siteKeys: rows, apiKeys });
}

/** Truncates fractions of a second. */
function epochSeconds(expires: string | number | undefined): number | undefined {
  return typeof expires === "string" ? Math.floor(Date.parse(expires) / 1000) : expires;
}

/** WCAG 2.2 (3.3.8) accepts transcription only as a choice; patience costs a program only time. */
const NEVER_ALONE: Partial<Record<Way, string>> = {
  text: "some people cannot solve it",
  audio: "some people cannot solve it",
  patience: "a program can wait too",
};

function checkTasks({ value, spans }: SiteKey, report: Report): void {
  const [type, ...others] = value.task_types ?? [];
  const why = type === undefined || others.length > 0 ? undefined : NEVER_ALONE[type];
  if (type !== undefined && why !== undefined)
    report(diagnostic("GW3053", spans.value(["task_types"]), { type, why }));
}

function checkKey({ id, value, spans }: ApiKey, report: Report): void {
  const { key, digest } = value;
  if (key === undefined && digest === undefined) report(diagnostic("GW3054", spans.value([]), { id }));
  if (key === undefined || environmentReferences(key).length > 0) return;
  if (key.slice(4, 12) !== id) report(diagnostic("GW3052", spans.value(["key"]), { id }));
}

const idSpan = (key: ApiKey) => key.spans.value(["id"]);

/** Key in use, and its replacement. */
const LIVE_KEYS = 2;

function checkLiveKeys(keys: readonly ApiKey[], now: number | undefined, report: Report): void {
  const live = new Map<string, ApiKey[]>();
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
