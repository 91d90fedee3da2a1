import { afterEach, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

it("fifty failures of a node that is down make fewer than six log lines, with a count of repeats", async () => {
  const nodes = { [`127.0.0.1:${await freePort()}`]: 1 };
  gateway = await ProcessGateway.start(
    { routes: [{ id: "dead", uri: "/dead", upstream: { nodes } }] },
    { workers: 1 },
  );
  for (let n = 0; n < 50; n += 1) expect((await gateway.get("/dead")).status).toBe(502);
  const told = await until(() =>
    gateway.log("upstream_failed").find(({ repeated }) => repeated !== undefined),
  );
  expect(told["route"]).toBe("dead");
  const lines = gateway.log("upstream_failed");
  expect(lines.length).toBeLessThan(6);
});
