import { isDeepStrictEqual } from "node:util";
import type { Timeouts, UpstreamNode, UpstreamTable } from "../../runtime/abi/generation.js";
import { PASSIVE_CHECKS, type PassiveChecks, RETRY_BUDGET } from "../../runtime/abi/passive-checks.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Report } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import type { Path, Spanned } from "../model/source.js";
import { reportAbsentField } from "../variables/absent-fields.js";
import { parseText, reportAtReference } from "../variables/text.js";
import type { NodeValue, PassiveChecksValue, UpstreamValue } from "./values.js";

/** Default if statuses are configured. */
const HTTP_FAILURES = 5;

/** Adds every default. @returns undefined if all checks are defaults */
function passiveChecks(value: PassiveChecksValue | undefined): PassiveChecks | undefined {
  const { healthy, unhealthy } = value ?? {};
  const named = unhealthy?.http_statuses;
  const checks: PassiveChecks = {
    tcpFailures: unhealthy?.tcp_failures ?? PASSIVE_CHECKS.tcpFailures,
    timeouts: unhealthy?.timeouts ?? PASSIVE_CHECKS.timeouts,
    httpFailures: unhealthy?.http_failures ?? (named ? HTTP_FAILURES : PASSIVE_CHECKS.httpFailures),
    httpStatuses: named === undefined ? PASSIVE_CHECKS.httpStatuses : [...named].sort((a, b) => a - b),
    successes: healthy?.successes ?? PASSIVE_CHECKS.successes,
    ejectionTime: value?.ejection_time ?? PASSIVE_CHECKS.ejectionTime,
    maxEjectionTime: value?.max_ejection_time ?? PASSIVE_CHECKS.maxEjectionTime,
    maxEjectedPercent: value?.max_ejected_percent ?? PASSIVE_CHECKS.maxEjectedPercent,
    slowStart: value?.slow_start ?? PASSIVE_CHECKS.slowStart,
  };
  return isDeepStrictEqual(checks, PASSIVE_CHECKS) ? undefined : checks;
}

/** Seconds, as nginx has for proxies (reference 3.1). */
const TIMEOUT: Timeouts = { connect: 60, send: 60, read: 60 };
const KEEPALIVE = { size: 320, idleTimeout: 60, requests: 1000 };

/**
 * Adds every default.
 * @param key upstream id, or "route:<id>" / "service:<id>" for an inline one
 * @param shown its name in messages: `upstream "orders"`
 */
export function upstreamTable(
  key: string,
  upstream: Spanned<UpstreamValue>,
  shown: string,
  report: Report,
): UpstreamTable {
  const { value } = upstream;
  const scheme = value.scheme ?? "http";
  const written = upstreamNodes(value.nodes, scheme);
  checkNodes(upstream, written, shown, report);
  checkHashedText(upstream, report);
  checkHashedField(upstream, report);
  const keepalive = value.keepalive_pool;
  const passive = passiveChecks(value.checks?.passive);
  return {
    key,
    type: value.type ?? "roundrobin",
    scheme,
    nodes: written.map(({ node }) => node),
    retries: value.retries ?? Math.max(0, written.length - 1),
    retryTimeout: value.retry_timeout ?? 0,
    timeout: timeouts(value.timeout) ?? TIMEOUT,
    passHost: value.pass_host ?? "pass",
    ...(value.upstream_host !== undefined && { upstreamHost: value.upstream_host }),
    keepalive: {
      size: keepalive?.size ?? KEEPALIVE.size,
      idleTimeout: keepalive?.idle_timeout ?? KEEPALIVE.idleTimeout,
      requests: keepalive?.requests ?? KEEPALIVE.requests,
    },
    ...hashing(value),
    ...(passive !== undefined && { passive }),
    ...retryBudget(value.retry_budget),
    tlsVerify: value.tls?.verify ?? true,
  };
}

/** Returns nothing for the default. */
function retryBudget(value: UpstreamValue["retry_budget"]): Pick<UpstreamTable, "retryBudget"> {
  const percent = value?.percent ?? RETRY_BUDGET.percent;
  const minPerSecond = value?.min_per_second ?? RETRY_BUDGET.minPerSecond;
  const usual = percent === RETRY_BUDGET.percent && minPerSecond === RETRY_BUDGET.minPerSecond;
  return usual ? {} : { retryBudget: { percent, minPerSecond } };
}

/** Fixes the order, whatever the configured one. */
export function timeouts(value: UpstreamValue["timeout"]): Timeouts | undefined {
  return value && { connect: value.connect, send: value.send, read: value.read };
}

export const resolveUpstream = (resource: Resource, report: Report): UpstreamTable =>
  upstreamTable(resource.id, resource as Resource<UpstreamValue>, `upstream "${resource.id}"`, report);

function checkNodes(
  upstream: Spanned<UpstreamValue>,
  written: readonly NodeEntry[],
  shown: string,
  report: Report,
): void {
  const { value, spans } = upstream;
  if (written.length === 0)
    report(diagnostic("GW3020", value.nodes ? spans.value(["nodes"]) : spans.value([]), { shown }));
  else if (written.every(({ node }) => node.weight === 0))
    report(diagnostic("GW3021", spans.key(["nodes"]), { shown }));
  const first = new Map<string, NodeEntry>();
  for (const item of written) {
    const place = () => (Array.isArray(value.nodes) ? spans.value(item.path) : spans.key(item.path));
    const address = `${item.node.host.toLowerCase()}:${item.node.port}`;
    const earlier = first.get(address);
    if (earlier) {
      const span = Array.isArray(value.nodes) ? spans.value(earlier.path) : spans.key(earlier.path);
      report(
        diagnostic("GW3022", place(), { address }, { notes: [{ message: "the first one is here", span }] }),
      );
    } else first.set(address, item);
  }
}

/** Reports unknown variables: requests would be hashed by the rest of the key, or by the client's address. */
function checkHashedText({ value, spans }: Spanned<UpstreamValue>, report: Report): void {
  const { type, hash_on, key } = value;
  if (type !== "chash" || hash_on !== "vars_combinations" || key === undefined) return;
  const rules = { now: "request", place: "the key of a hash", captures: undefined } as const;
  parseText(key, rules, reportAtReference(key, 0, spans.value(["key"]), report));
}

/** Reports a header that no request has: every request would be hashed by the client's address. */
function checkHashedField({ value, spans }: Spanned<UpstreamValue>, report: Report): void {
  const { type, hash_on, key } = value;
  if (type !== "chash" || hash_on !== "header" || key === undefined) return;
  const help = "use another field: without a value, requests are hashed by the client address";
  reportAbsentField(key, () => spans.value(["key"]), help, report);
}

/** The schema requires a key where one is needed. */
function hashing({ type, hash_on, key }: UpstreamValue): Pick<UpstreamTable, "hashOn" | "hashKey"> {
  if (type !== "chash") return {};
  return { hashOn: hash_on ?? "vars", ...(key !== undefined && { hashKey: key }) };
}

const DEFAULT_PORT = { http: 80, https: 443 } as const;

/** Node with its path below the upstream. */
export interface NodeEntry {
  path: Path;
  node: UpstreamNode;
}

/** Returns both forms as one list in the configured order, with ports filled in from the scheme. */
export function upstreamNodes(
  nodes: Record<string, number> | NodeValue[] | undefined,
  scheme: "http" | "https",
): NodeEntry[] {
  if (nodes === undefined) return [];
  if (Array.isArray(nodes))
    return nodes.map(({ host, port = DEFAULT_PORT[scheme], weight, priority = 0 }, index) => ({
      path: ["nodes", index],
      node: { host, port, weight, priority },
    }));
  return Object.entries(nodes).map(([address, weight]) => {
    const { host, port = DEFAULT_PORT[scheme] } = splitAddress(address);
    return { path: ["nodes", address], node: { host, port, weight, priority: 0 } };
  });
}

/** Takes "host:port", "host" or "[v6]:port", checked by the schema; a `${{VAR:=default}}` keeps its colon. */
function splitAddress(address: string): { host: string; port?: number } {
  const match = /^(.+):(\d{1,5})$/s.exec(address);
  return match?.[1] === undefined ? { host: address } : { host: match[1], port: Number(match[2]) };
}
