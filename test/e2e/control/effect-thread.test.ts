import { afterAll, beforeAll, expect, it } from "vitest";
import { ProcessGateway } from "../process/gateway.js";
import { exchange } from "./admin.js";

const KEY = { "X-API-KEY": ProcessGateway.KEY };
const UPSTREAM = { nodes: { "127.0.0.1:9": 1 } };
let gateway: ProcessGateway;
beforeAll(async () => {
  const routes = [
    { id: "orders", uri: "/orders/*", upstream: UPSTREAM },
    { id: "keyed", uri: "/keyed", upstream: UPSTREAM, plugins: { "key-auth": {} } },
  ];
  gateway = await ProcessGateway.start({ routes });
});
afterAll(() => gateway.end());

const tried = (path: string, body: unknown) =>
  exchange(gateway.adminPort, "PUT", `/gw/admin${path}?dry_run=effect`, JSON.stringify(body), KEY);

it("a write and at least one of 30 concurrent dry runs with effect succeed", async () => {
  const exports = { uri: "/orders/exports/*", upstream: { nodes: { "127.0.0.1:10": 1 } } };
  const asked = Array.from({ length: 30 }, () => tried("/routes/exports", exports));
  const write = await gateway.admin("PUT", "/routes/other", { uri: "/other", upstream: UPSTREAM });
  expect(write.status).toBe(201);
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  const effects = answers.map(({ json }) => json["effect"] as { fault: string | null; changes: object[] });
  const faults = effects.flatMap(({ fault }) => fault ?? []);
  // The number depends on the speed of the thread; test/unit/abi/job-slots.test.ts has the limit.
  expect(faults).toEqual(faults.map(() => expect.stringContaining("16 drafts are being compared already")));
  const told = effects.filter(({ fault }) => fault === null);
  expect(told.length).toBeGreaterThan(0);
  expect(told[0]?.changes).toMatchObject([
    { kind: "new", subject: "exports", severity: "changed" },
    { kind: "precedence", subject: "orders", to: "exports", example: { after: { route: "exports" } } },
  ]);
});

it("a dry run with effect changes nothing and is logged as a dry run", async () => {
  expect((await gateway.admin("GET", "/routes/exports")).status).toBe(404);
  const events = gateway.log("admin_write").filter(({ path }) => path === "/gw/admin/routes/exports");
  expect(events.length).toBeGreaterThan(0);
  expect(events.every((event) => event["dry_run"] === true)).toBe(true);
});
