import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RouterRow } from "../../runtime/abi/generation.js";
import type { RouteSubject } from "../../runtime/proxy/router/candidate.js";
import { Router } from "../../runtime/proxy/router/router.js";
import { runs } from "../support/runs.js";

interface Subject extends RouteSubject {
  /** Ids of routes whose `vars` hold. */
  holding: ReadonlySet<string>;
}

/** Reference 2.2 as a sort: nothing is indexed, a pattern is a regular expression. */
function obvious(
  rows: readonly RouterRow[],
  subject: Subject,
): { id: string; parameters: object } | undefined {
  const attempts = rows.flatMap((row) =>
    row.uris.flatMap((uri) => (row.hosts.length ? row.hosts : [null]).map((host) => ({ row, uri, host }))),
  );
  const special = (uri: string) => uri.search(/(?<=\/):|\*/);
  const prefix = (uri: string) => (special(uri) < 0 ? Number.POSITIVE_INFINITY : special(uri));
  const hostRank = (host: string | null) =>
    host === null ? -1 : host.startsWith("*") ? host.length : Number.POSITIVE_INFINITY;
  attempts.sort(
    (a, b) =>
      compare(hostRank(b.host), hostRank(a.host)) ||
      compare(prefix(b.uri), prefix(a.uri)) ||
      b.row.priority - a.row.priority ||
      b.uri.length - a.uri.length ||
      a.row.order - b.row.order,
  );
  for (const { row, uri, host } of attempts) {
    if (
      host !== null &&
      !(host.startsWith("*") ? subject.host.endsWith(host.slice(1)) : subject.host === host)
    )
      continue;
    if (row.methods.length && !row.methods.includes(subject.method)) continue;
    if (row.remoteAddrs.length && !row.remoteAddrs.includes(subject.remoteAddr)) continue;
    const found = asRegExp(uri).exec(subject.path);
    if (found && (!row.hasMatch || subject.holding.has(row.id)))
      return { id: row.id, parameters: { ...found.groups } };
  }
  return undefined;
}

const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);

function asRegExp(uri: string): RegExp {
  const source = uri.replace(
    /(?<=\/):([^/*]+)|(?<=\/)\*([A-Za-z_]\w*)$|\*|[.+?^${}()|[\]\\]/g,
    (text, segment, rest) =>
      segment ? `(?<${segment}>[^/]+)` : rest ? `(?<${rest}>[^]*)` : text === "*" ? "[^]*" : `\\${text}`,
  );
  return new RegExp(`^${source}$`);
}

const label = fc.constantFrom("a", "b", "ab", "aa", ".", "a.b");
const host = fc.constantFrom("a.com", "b.a.com", "*.a.com", "*a.com", "*", "*.com", "x.b.a.com");
const piece = fc.oneof(label, fc.constantFrom("*", "a*", "*b", "a*b", "**"));
const pattern = fc
  .tuple(
    fc.array(fc.oneof({ weight: 3, arbitrary: piece }, { weight: 1, arbitrary: fc.constant(":") }), {
      maxLength: 4,
    }),
    fc.constantFrom("", "/", "/*", "/*rest", "*"),
  )
  .map(([pieces, end]) => pieces.map((text, i) => `/${text === ":" ? `:p${i}` : text}`).join("") + end)
  .map((uri) => (uri.startsWith("/") ? uri : `/${uri}`));
const path = fc
  .array(label, { maxLength: 5 })
  .chain((labels) => fc.constantFrom(`/${labels.join("/")}`, `/${labels.join("/")}/`));

const row = fc.record({
  hosts: fc.uniqueArray(host, { maxLength: 2 }),
  uris: fc.uniqueArray(pattern, { minLength: 1, maxLength: 2 }),
  methods: fc.constantFrom<string[]>([], ["GET"], ["POST", "GET"]),
  remoteAddrs: fc.constantFrom<string[]>([], ["10.0.0.1"]),
  priority: fc.constantFrom(0, 0, 1),
  hasMatch: fc.boolean(),
});

const subject = fc.record({
  host: fc.constantFrom("a.com", "b.a.com", "ba.com", "x.b.a.com", "other.com", "a.net", ""),
  path,
  method: fc.constantFrom("GET", "POST", "PUT"),
  remoteAddr: fc.constantFrom("10.0.0.1", "10.0.0.2"),
  holding: fc.uniqueArray(fc.nat(14).map(String)).map((ids) => new Set(ids)),
});

/** Puts (also over an existing id) and removals, in any order. */
const changes = fc.array(fc.record({ id: fc.nat(14).map(String), row: fc.option(row, { freq: 4 }) }), {
  minLength: 1,
  maxLength: 25,
});

function routed(steps: readonly { id: string; row: Partial<RouterRow> | null }[]) {
  const router = new Router<string, Subject>((id, { holding }) => holding.has(id));
  const rows = new Map<string, RouterRow>();
  for (const { id, row } of steps) {
    if (row === null) {
      router.remove(id);
      rows.delete(id);
      continue;
    }
    const full = {
      moduleId: null,
      upstream: null,
      enableWebsocket: false,
      order: Number(id),
      id,
      ...row,
    } as RouterRow;
    router.put(full, id);
    rows.set(id, full);
  }
  return { router, rows: [...rows.values()] };
}

describe("the router", () => {
  it("the router chooses as the reference matcher does, whatever was put and removed before", () => {
    fc.assert(
      fc.property(changes, fc.array(subject, { minLength: 1, maxLength: 8 }), (steps, subjects) => {
        const { router, rows } = routed(steps);
        for (const asked of subjects) {
          const request: Subject = { ...asked, uriParams: { stale: "value" } };
          const expected = obvious(rows, request);
          expect(router.match(request)).toBe(expected?.id);
          expect({ ...request.uriParams }).toEqual(expected?.parameters ?? {});
        }
      }),
      { numRuns: runs(1500) },
    );
  });

  it("the router explains the same choice, with one verdict for each route", () => {
    fc.assert(
      fc.property(changes, subject, (steps, asked) => {
        const { router, rows } = routed(steps);
        const request: Subject = { ...asked, uriParams: undefined };
        const { matched, candidates } = router.explain(request);
        expect(matched).toBe(obvious(rows, request)?.id ?? null);
        expect(candidates.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort());
        expect(candidates.filter(({ verdict }) => verdict === "matched").map(({ id }) => id)).toEqual(
          matched === null ? [] : [matched],
        );
      }),
      { numRuns: runs(500) },
    );
  });

  it("the router is as empty as a new one after all routes are removed", () => {
    fc.assert(
      fc.property(changes, subject, (steps, asked) => {
        const { router, rows } = routed(steps);
        for (const { id } of rows) router.remove(id);
        expect(router.size).toBe(0);
        expect(router.match({ ...asked, uriParams: undefined })).toBeUndefined();
        expect(JSON.stringify(router.hosts, shape)).toBe(JSON.stringify(new Router(() => true).hosts, shape));
      }),
    );
  });
});

/** Drops parents, which would make circles, and converts maps, which have no JSON of their own. */
function shape(key: string, value: unknown): unknown {
  if (key === "parent") return undefined;
  return value instanceof Map ? [...value] : value;
}
