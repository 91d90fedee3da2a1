import "../../plugins/index.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { compile } from "../../compiler/index.js";
import type { RouteSubject } from "../../runtime/proxy/router/candidate.js";
import { Router } from "../../runtime/proxy/router/router.js";
import { runs } from "../support/runs.js";

const part = fc.constantFrom("a", "b:c", "b%3Ac", "%2A", ":id", ":x", "*", "a*");
const uri = fc
  .array(part, { maxLength: 3 })
  .map((parts) => `/${parts.join("/")}`)
  .map((path) => path.replace(/\*(?=\/.*\*)/g, "b"));
const route = fc.record({
  hosts: fc.option(
    fc.uniqueArray(fc.constantFrom("a.com", "*.com", "b.a.com"), { minLength: 1, maxLength: 2 }),
    {
      nil: undefined,
    },
  ),
  uris: fc.uniqueArray(uri, { minLength: 1, maxLength: 3 }),
  priority: fc.constantFrom(0, 0, 1),
  service: fc.boolean(),
});
const subject = fc.record({
  host: fc.constantFrom("a.com", "b.a.com", "c.com", "net"),
  path: fc
    .array(fc.constantFrom("a", "b:c", "*", "x", "ab"), { maxLength: 3 })
    .map((parts) => `/${parts.join("/")}`),
});

it("the order of tied routes decides as their position in the file would", () => {
  fc.assert(
    fc.property(fc.array(route, { minLength: 2, maxLength: 9 }), fc.array(subject), (given, subjects) => {
      // Ids fall while positions rise, so that the id, which decides last, never agrees with the position.
      const routes = given.map(({ service, ...fields }, i) => ({
        id: `r${9 - i}`,
        ...fields,
        ...(service ? { service_id: "s" } : { upstream: { nodes: { "a:80": 1 } } }),
      }));
      const services = [{ id: "s", hosts: ["a.com"], upstream: { nodes: { "a:80": 1 } } }];
      const text = JSON.stringify({ services, routes });
      const { artifact } = compile({ sources: [{ name: "a.json", text, format: "json" }], environment: {} });
      fc.pre(artifact !== undefined);
      const [tied, positioned] = [false, true].map((byPosition) => {
        const router = new Router<string, RouteSubject>(() => true);
        for (const row of artifact?.routes ?? [])
          router.put(byPosition ? { ...row, order: 9 - Number(row.id.slice(1)) } : row, row.id);
        return router;
      });
      for (const { host, path } of subjects) {
        const asked = () => ({ host, path, method: "GET", remoteAddr: "1.2.3.4", uriParams: undefined });
        expect(tied?.match(asked())).toBe(positioned?.match(asked()));
      }
    }),
    { numRuns: runs(2_000) },
  );
});
