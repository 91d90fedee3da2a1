import fc from "fast-check";
import { expect, it } from "vitest";
import { type MatchFields, Reachability } from "../../compiler/3-resolve/reachability.js";
import type { RouterRow } from "../../runtime/abi/generation.js";
import type { RouteSubject } from "../../runtime/proxy/router/candidate.js";
import { Router } from "../../runtime/proxy/router/router.js";
import { runs } from "../support/runs.js";

const host = fc.constantFrom("a.com", "b.a.com", "*.a.com", "*a.com", "*");
const uri = fc.constantFrom(
  "/",
  "/a",
  "/a/",
  "/a/*",
  "/a/:x",
  "/a/:y",
  "/a/*rest",
  "/a/:x/b",
  "/a/*/b",
  "/*",
  "/a*",
  "/:",
);
const method = fc.constantFrom("GET", "POST", "PUT");
const address = fc.constantFrom("10.0.0.1", "10.0.0.0/8");

const route = (id: string): fc.Arbitrary<MatchFields> =>
  fc.record({
    id: fc.constant(id),
    hosts: fc.uniqueArray(host, { maxLength: 2 }),
    uris: fc.uniqueArray(uri, { minLength: 1, maxLength: 2 }),
    methods: fc.uniqueArray(method, { maxLength: 2 }),
    remoteAddrs: fc.uniqueArray(address, { maxLength: 1 }),
    priority: fc.constantFrom(0, 0, 1),
    order: fc.constantFrom(0, 1),
    vars: fc.constantFrom("", "", "no", "yes"),
  });
const routes = fc.tuple(...["a", "b", "c", "d", "e"].map(route));

const request = fc.record<RouteSubject>({
  host: fc.constantFrom("a.com", "b.a.com", "xa.com", "c.org"),
  path: fc.constantFrom("/", "/a", "/a/", "/a/1", "/a/1/b", "/a/1/2/b", "/ab", "/:", "/z"),
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE"),
  remoteAddr: fc.constantFrom("10.0.0.1", "10.2.0.1", "192.168.0.1"),
  uriParams: fc.constant(undefined),
});

function routerOf(all: readonly MatchFields[]): Router<MatchFields, RouteSubject> {
  const router = new Router<MatchFields, RouteSubject>(({ vars }) => vars === "yes");
  for (const { vars, ...fields } of all) {
    const row: RouterRow = {
      ...fields,
      moduleId: null,
      hasMatch: vars !== "",
      upstream: null,
      enableWebsocket: false,
    };
    router.put(row, { vars, ...fields });
  }
  return router;
}

it("a route that the router finds for some request is never shadowed", () => {
  fc.assert(
    fc.property(routes, fc.array(request, { minLength: 20, maxLength: 60 }), (all, requests) => {
      const reachability = new Reachability();
      for (const fields of all) reachability.put(fields);
      const hidden = new Set(all.filter((fields) => reachability.shadowOf(fields)).map(({ id }) => id));
      const router = routerOf(all);
      for (const subject of requests) {
        const found = router.match({ ...subject });
        expect(hidden.has(found?.id ?? ""), JSON.stringify({ subject, found, hidden: [...hidden] })).toBe(
          false,
        );
      }
    }),
    { numRuns: runs(2_000) },
  );
});

it("the reachability after any changes equals that of the remaining routes", () => {
  fc.assert(
    fc.property(
      routes,
      routes,
      fc.uniqueArray(fc.constantFrom<string>("a", "b", "c")),
      (first, second, gone) => {
        const changed = new Reachability();
        for (const fields of [...first, ...second]) changed.put(fields);
        for (const id of gone) changed.remove(id);
        const anew = new Reachability();
        const left = second.filter(({ id }) => !gone.includes(id));
        for (const fields of left) anew.put(fields);
        for (const fields of left)
          expect(changed.shadowOf(fields) === undefined).toBe(anew.shadowOf(fields) === undefined);
      },
    ),
    { numRuns: runs(500) },
  );
});

it("a copy of the reachability and its original change independently", () => {
  const change = fc.record({ ofCopy: fc.boolean(), fields: fc.oneof(...["a", "b", "c"].map(route)) });
  const isHidden = (reachability: Reachability) => (fields: MatchFields) =>
    reachability.shadowOf(fields) !== undefined;
  fc.assert(
    fc.property(routes, fc.array(change, { maxLength: 6 }), (first, changes) => {
      const [original, held] = [new Reachability(), new Map(first.map((fields) => [fields.id, fields]))];
      for (const fields of first) original.put(fields);
      const [copy, heldByCopy] = [new Reachability(original), new Map(held)];
      for (const { ofCopy, fields } of changes) {
        const [reachability, known] = ofCopy ? [copy, heldByCopy] : [original, held];
        if (known.delete(fields.id)) reachability.remove(fields.id);
        else {
          reachability.put(fields);
          known.set(fields.id, fields);
        }
      }
      for (const [reachability, known] of [[original, held] as const, [copy, heldByCopy] as const]) {
        const anew = new Reachability();
        for (const fields of known.values()) anew.put(fields);
        const all = [...known.values()];
        expect(all.map(isHidden(reachability))).toEqual(all.map(isHidden(anew)));
        for (const fields of all)
          expect(reachability.competitors(fields).length).toBe(anew.competitors(fields).length);
      }
    }),
    { numRuns: runs(1_000) },
  );
});
