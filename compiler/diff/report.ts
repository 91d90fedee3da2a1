import { reportRedactor } from "../report/redact-report.js";
import { CREDENTIAL } from "../variables/credential-text.js";
import type { ChangeKind, Example, Outcome, Severity, TrafficChange, TrafficDiff } from "./change.js";

const SHOWN = 200;
/** Maximum differences of one example. */
const MOST = 12;

export interface ReportedExample {
  /** Request line and host, such as "GET http://shop.example.com/orders/x". */
  request: string;
  method: string;
  host: string;
  target: string;
  /** Headers as "name: value". */
  headers: string[];
  body: string;
  client: string;
  /** Source port; null if it does not matter. */
  client_port: number | null;
  protocol: "HTTP/1.0" | "HTTP/1.1";
  /** Unusual variables of its TLS connection, by name; null for a request without TLS. */
  tls: Readonly<Record<string, string>> | null;
  /** Address, and port, that receive it; null if they do not matter. */
  server_address: string | null;
  port: number | null;
  /** Result of every random number from 0 to 1; null for 0.5. */
  chance: number | null;
  /** Response of the upstream in the simulation. */
  upstream: { status: number; headers: string[]; body: string };
  before: Outcome;
  after: Outcome;
  differs: Example["differs"];
}

export interface ReportedChange {
  kind: ChangeKind;
  severity: Severity;
  subject: string;
  to: string | null;
  place: { before: string | null; after: string | null };
  removed: string[];
  added: string[];
  /** Null if no example was found. */
  example: ReportedExample | null;
  note: string | null;
}

/** Report of `--format json`. Fields may be added; none changes its meaning within a version. */
export interface Report {
  version: 1;
  before: string;
  after: string;
  severity: Severity;
  summary: Record<ChangeKind, number> & { unchanged: number };
  changes: ReportedChange[];
  notes: string[];
}

export interface Named {
  name: string;
  note?: string | undefined;
  secrets: Iterable<string>;
  /** @returns undefined if the side lacks the part */
  place(subject: string): string | undefined;
}

export const KINDS: readonly ChangeKind[] = [
  "new",
  "gone",
  "renamed",
  "precedence",
  "matching",
  "actions",
  "shared",
  "settings",
  "operation",
];

export function reportOf(
  { severity, changes, unchanged }: TrafficDiff,
  before: Named,
  after: Named,
  open?: readonly string[],
): Report {
  const counts = KINDS.map((kind) => [kind, changes.filter((change) => change.kind === kind).length]);
  const hide = reportRedactor([...new Set([...before.secrets, ...after.secrets])], open);
  return {
    version: 1,
    before: before.name,
    after: after.name,
    severity,
    summary: { ...(Object.fromEntries(counts) as Record<ChangeKind, number>), unchanged },
    changes: changes.map((change) => reported(change, hide, before, after)),
    notes: [before.note, after.note].flatMap((note) => note ?? []),
  };
}

/** Redacts before any text is cut, which could cut a secret in two. */
function reported(
  change: TrafficChange,
  hide: <T>(value: T) => T,
  before: Named,
  after: Named,
): ReportedChange {
  const { kind, severity, subject, to = null } = change;
  const { details, example, note = null } = hide(change);
  const place = { before: before.place(subject) ?? null, after: after.place(to ?? subject) ?? null };
  return {
    kind,
    severity,
    ...hide({ subject, to, place }),
    removed: details.removed,
    added: details.added,
    example: example && reportedExample(example),
    note,
  };
}

function reportedExample({ probe, before, after, differs }: Example): ReportedExample {
  const lines = (fields: Example["probe"]["headers"]) =>
    fields.map(([name, value]) => readable(`${name}: ${CREDENTIAL.test(name) ? "(not shown)" : value}`));
  const { method, host, headers, body, client, tls, port = null, chance = null, upstream } = probe;
  const target = probe.target.replace(ARGUMENT, (whole, name: string) =>
    CREDENTIAL.test(name) ? `${whole.slice(0, whole.indexOf("=") + 1)}…` : whole,
  );
  return {
    request: readable(`${method} ${tls === undefined ? "http" : "https"}://${host}${target}`),
    method,
    host: readable(host),
    target: readable(target),
    headers: lines(headers),
    body: readable(body),
    client,
    client_port: probe.clientPort ?? null,
    protocol: `HTTP/${probe.http ?? "1.1"}`,
    tls: connectionOf(tls),
    server_address: probe.serverAddress ?? null,
    port,
    chance,
    upstream: { status: upstream.status, headers: lines(upstream.headers), body: readable(upstream.body) },
    before,
    after,
    differs: differs.slice(0, MOST).map(({ name, before: old, after: fresh }) => ({
      name: readable(name),
      before: shown(name, old),
      after: shown(name, fresh),
    })),
  };
}

function connectionOf(tls: Example["probe"]["tls"]): ReportedExample["tls"] {
  if (tls === undefined) return null;
  const known = Object.entries(tls).map(([name, value]) => [
    `ssl_${name}`,
    CREDENTIAL.test(name) ? "(not shown)" : readable(value),
  ]);
  return Object.fromEntries(known);
}

const ARGUMENT = /[?&]([^=&]*)=[^&]*/g;

/** A possible credential is replaced by "(not shown)". */
function shown(name: string, value: string | null): string | null {
  if (value === null) return null;
  if (CREDENTIAL.test(name)) return "(not shown)";
  const text = readable(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/** Decodes a byte string as UTF-8. */
const readable = (bytes: string) => Buffer.from(bytes, "latin1").toString("utf8");

export interface Grouped {
  change: ReportedChange;
  others: string[];
}

/**
 * Groups routes whose actions change by the same lines: one node of a shared upstream changes hundreds of
 * them. The example is the first route's.
 */
export function grouped(changes: readonly ReportedChange[]): Grouped[] {
  const groups = new Map<string, Grouped>();
  for (const [i, change] of changes.entries()) {
    const { kind, severity, removed, added, example } = change;
    const differs = example?.differs.map(({ name }) => name);
    const key = kind === "actions" ? JSON.stringify([severity, removed, added, differs]) : String(i);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { change, others: [] });
    else known.others.push(change.subject);
  }
  return [...groups.values()];
}

/** Maximum routes that are named; further ones are counted. */
const NAMED = 10;

export function othersText(others: readonly string[]): string {
  const named = others.slice(0, NAMED).join(", ");
  const more = others.length - NAMED;
  return `the same for ${others.length === 1 ? "route" : "routes"} ${named}${more > 0 ? ` and ${more} more` : ""}`;
}
