import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "../process/gateway.js";
import { exchange } from "./admin.js";

const KEY = { "X-API-KEY": ProcessGateway.KEY };
let gateway: ProcessGateway;
beforeAll(async () => {
  const route = { id: "a", uri: "/a/*", upstream: { nodes: { "127.0.0.1:9": 1 } } };
  gateway = await ProcessGateway.start({ routes: [route] });
});
afterAll(() => gateway.end());

const ask = (body: string) => exchange(gateway.adminPort, "POST", "/gw/admin/which_route", body, KEY);

describe("which_route in the processes of a gateway", () => {
  it("which_route uses the generation of the last write", async () => {
    expect((await ask('{"url":"/a/1"}')).json).toMatchObject({ matched: "a", response: { status: 200 } });
    for (const id of ["b", "c"]) {
      const uri = `/${id}`;
      await gateway.admin("PUT", `/routes/${id}`, { uri, upstream: { nodes: { "127.0.0.1:9": 1 } } });
      expect((await ask(JSON.stringify({ url: uri }))).json).toMatchObject({ matched: id });
    }
    await gateway.admin("DELETE", "/routes/b");
    expect((await ask('{"url":"/b"}')).json).toMatchObject({ matched: null });
  });

  it("a question to which_route logs no admin_write", () => {
    const paths = gateway.log("admin_write").map(({ path }) => path);
    expect(paths).not.toContain("/gw/admin/which_route");
    expect(paths).toContain("/gw/admin/routes/c");
  });

  it("other calls succeed during 60 questions to which_route, each of which is tried or rejected as one too many", async () => {
    const asked = Array.from({ length: 60 }, () => ask('{"url":"/a/1","body":"x"}'));
    const other = await gateway.admin("GET", "/routes/c");
    const replies = await Promise.all(asked);
    expect(other.status).toBe(200);
    const rejected = replies.filter(({ status }) => status !== 200);
    // The number depends on the speed of the thread; test/unit/abi/job-slots.test.ts has the limit.
    expect(rejected.map(({ status, json }) => [status, json])).toEqual(
      rejected.map(() => [503, { error_msg: "16 requests are being simulated already" }]),
    );
    expect(rejected.length).toBeLessThan(60);
    expect((await ask('{"url":"/a/1"}')).status).toBe(200);
  });

  it("which_route leaves no thread behind, neither after a finished filter nor after one that timed out", async () => {
    const filters = [{ regex: "^(a+)+\\1c", replace: "x", allow_slow: true }];
    const slow = {
      ...{ uri: "/slow", upstream: { nodes: { "127.0.0.1:9": 1 } } },
      plugins: { "response-rewrite": { filters } },
    };
    expect((await gateway.admin("PUT", "/routes/slow", slow)).status).toBe(201);
    const tasks = `/proc/${gateway.child("control")}/task`;
    const of = (body: string) => ask(JSON.stringify({ url: "/slow", upstream_response: { body } }));
    await expect
      .poll(async () => (await of("aac")).json)
      .toMatchObject({ response: { body: "x" }, faults: [] });
    const before = readdirSync(tasks).length;
    for (let i = 0; i < 8; i += 1) expect((await of("aac")).status).toBe(200);
    const fewer = () => readdirSync(tasks).length <= before;
    await until(fewer);
    const { json } = await of("a".repeat(60));
    expect(json).toMatchObject({ response: null, faults: [expect.stringContaining("within 2 s")] });
    // The pattern itself would run for 8 s more.
    await until(fewer, 6_000);
  });

  it("which_route rejects a body of 100 MB and continues to respond", async () => {
    const huge = `{"url":"/a/1","body":"${"x".repeat(100 * 1024 * 1024)}"}`;
    const refused = await ask(huge).then(
      ({ status }) => status,
      () => "closed",
    );
    expect([400, "closed"]).toContain(refused);
    expect((await ask('{"url":"/a/1"}')).status).toBe(200);
  });

  it("which_route returns the beginning of a body of 120 kB and rejects a question above 256 KiB", async () => {
    const of = (length: number) => {
      const body = "x".repeat(length);
      return ask(JSON.stringify({ url: "/a/1", method: "POST", body, upstream_response: { body } }));
    };
    const { status, json } = await of(120_000);
    expect(status).toBe(200);
    expect((json["response"] as { body: string }).body).toHaveLength(65_537);
    const refused = await of(140_000);
    expect([refused.status, refused.json["error_msg"]]).toEqual([
      400,
      expect.stringContaining("greater than the maximum size 262144"),
    ]);
  });

  it("which_route returns at most 100 diagnostics for 15,000 unknown fields", async () => {
    const fields = Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`f${i}`, 1]));
    const { status, json, text } = await ask(JSON.stringify({ url: "/a/1", ...fields }));
    expect([status, json["diagnostics"]]).toMatchObject([400, { length: 100 }]);
    expect(text.length).toBeLessThan(100_000);
  });
});
