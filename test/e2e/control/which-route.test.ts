import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, AdminGateway, UPSTREAM, VIEWER_KEY } from "./admin.js";

const CONFIGURATION = `
services:
  - id: shop
    plugins:
      key-auth: {}
      response-rewrite: { headers: { set: { X-Service: shop } } }
    upstream: { nodes: { "orders.internal:8080": 1 } }
routes:
  - id: orders
    name: Orders
    uri: /orders/*
    methods: [GET, POST]
    host: shop.test
    service_id: shop
    plugins:
      proxy-rewrite: { headers: { set: { X-Token: "\${{GWC_TEST_TOKEN}}" } } }
      response-rewrite: { headers: { set: { X-Route: orders } } }
      syslog: { host: 127.0.0.1, port: 514 }
  - id: later
    uri: /o*
    host: shop.test
    service_id: shop
  - id: other
    uri: /orders/*
    host: other.test
    service_id: shop
  - id: picky
    uri: /orders/*
    host: shop.test
    priority: 9
    vars: [[http_x_kind, "==", special]]
    service_id: shop
  - id: r4711
    uri: /p4711/*
    host: escaped.test
    service_id: shop
    plugins:
      key-auth: { _meta: { disable: true } }
      proxy-rewrite:
        regex_uri: ["^/p4711/(.*)$", "/abc/\${{GWC_TEST_PATH}}/$1"]
        headers: { set: { Authorization: "Basic \${{GWC_TEST_SECRET}}", X-Pin: "pin \${{GWC_TEST_PIN}}", X-On: "is \${{GWC_TEST_ON}}" } }
      response-rewrite:
        vars: [[arg_token, "==", "\${{GWC_TEST_SECRET}}"]]
        body: "says \${{GWC_TEST_SECRET}}"
      syslog: { host: 127.0.0.1, port: 514, log_format: { sent: "\${{GWC_TEST_SECRET}}" } }
consumers:
  - username: ada
    plugins: { key-auth: { key: consumer-key-of-ada } }
`;

const VALUES = {
  GWC_TEST_TOKEN: "value-of-the-environment",
  GWC_TEST_SECRET: 'p@ss"w\\ord é+x',
  GWC_TEST_PATH: "se cret@1/x:y",
  GWC_TEST_PIN: "4711",
  GWC_TEST_ON: "on",
};

interface Told {
  generation: number;
  matched: string | null;
  refused: { status: number; reason: string } | null;
  candidates: {
    id: string;
    matches: boolean;
    reason: { kind: string; text: string } | null;
    place: string;
    failed: { address: string; place: string; wanted: string; values: [string, string][] }[];
  }[];
  more: number;
  route: { place: string; takes: string[]; phases: { when: string; sentences: string[] }[] } | null;
  plugins: { name: string; from: string; place: string; disabled: boolean; hides: string[] }[];
  upstream: { key: string; nodes: { host: string; port: number }[] } | null;
  upstream_request: { method: string; target: string; headers: [string, string][]; body: string } | null;
  response: { status: number; headers: [string, string][]; body: string } | null;
  logs: { plugin: string; record: Record<string, unknown> }[];
  faults: string[];
}

let gateway: AdminGateway;
beforeAll(async () => {
  Object.assign(process.env, VALUES);
  gateway = await AdminGateway.start(CONFIGURATION);
});
afterAll(async () => {
  for (const name of Object.keys(VALUES)) delete process.env[name];
  await gateway.stop();
});

const post = (body: unknown, key = ADMIN_KEY) => gateway.call("POST", "/which_route", body, { key });
async function ask(body: object): Promise<Told> {
  const { status, text, json } = await post(body);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return json as unknown as Told;
}
const KEY = { apikey: "consumer-key-of-ada" };
const field = (message: { headers: [string, string][] } | null, name: string) =>
  message?.headers.find(([one]) => one.toLowerCase() === name)?.[1];

describe("which_route", () => {
  it("which_route returns the candidates in order, each with location and first reason for a mismatch", async () => {
    const { matched, candidates } = await ask({ url: "http://shop.test/orders/7", headers: KEY });
    expect(matched).toBe("orders");
    expect(candidates.map(({ id, matches, reason }) => [id, matches, reason?.kind])).toEqual([
      ["picky", false, "condition"],
      ["orders", true, undefined],
      ["later", false, "order"],
      ["other", false, "host"],
      ["r4711", false, "host"],
    ]);
    expect(candidates[1]?.place).toMatch(/^gateway\.yaml:9:\d+$/);
    const wrong = await ask({ url: "http://shop.test/orders/7", method: "DELETE" });
    const reason = { kind: "method", text: "method DELETE is not among GET, POST" };
    expect(wrong.candidates.find(({ id }) => id === "orders")).toMatchObject({ reason });
  });

  it("which_route returns the false parts of a condition with location and actual values", async () => {
    const headers = { ...KEY, "X-Kind": 'pl"ain' };
    const { candidates } = await ask({ url: "http://shop.test/orders/7", headers });
    expect(candidates[0]).toMatchObject({
      id: "picky",
      reason: {
        kind: "condition",
        text: 'its vars are not met: $http_x_kind is "special", but $http_x_kind is "pl\\"ain"',
      },
      failed: [
        {
          ...{ wanted: '$http_x_kind is "special"', values: [["http_x_kind", 'pl"ain']] },
          ...{ address: "routes/picky vars[0]", place: expect.stringMatching(/^gateway\.yaml:31:/) },
        },
      ],
    });
    const vars = [
      ["http_authorization", "==", "Bearer own"],
      ["arg_a", "==", "1"],
      ["OR", ["http_x_b", "~~", "^b"], ["remote_addr", "ipmatch", ["10.0.0.0/8"]]],
    ];
    await gateway.call("PUT", "/routes/several", { uri: "/several", vars, upstream: UPSTREAM });
    const told = await ask({ url: "/several?a=1", headers: { Authorization: "Bearer other" } });
    const several = told.candidates.find(({ id }) => id === "several");
    expect(several?.failed.map(({ address, values }) => [address, values])).toEqual([
      ["routes/several vars[0]", [["http_authorization", "***"]]],
      [
        "routes/several vars[2][1]",
        [
          ["http_x_b", ""],
          ["remote_addr", "127.0.0.1"],
        ],
      ],
    ]);
    const near = await ask({
      url: "/several?a=1",
      headers: { Authorization: "Bearer own" },
      remote_addr: "10.1.2.3",
    });
    expect(near.matched).toBe("several");
    await gateway.call("DELETE", "/routes/several");
  });

  it("which_route returns disabled routes, with any other reason against the match", async () => {
    const off = { uri: "/off/*", status: 0, upstream: UPSTREAM };
    await gateway.call("PUT", "/routes/off", off);
    await gateway.call("PUT", "/routes/off-too", { ...off, methods: ["PUT"], host: "Other.test" });
    const { candidates } = await ask({ url: "http://other.test/off/1" });
    const reasons = candidates.map(({ id, reason }) => [id, reason?.kind, reason?.text]);
    expect(reasons.slice(0, 2)).toEqual([
      ["off", "disabled", "it is disabled"],
      ["off-too", "disabled", "it is disabled, and method GET is not among PUT"],
    ]);
    const far = await ask({ url: "http://shop.test/orders/7", headers: KEY });
    expect(far.candidates.slice(-2).map(({ reason }) => reason?.text)).toEqual([
      "it is disabled, and path /orders/7 does not match /off/*",
      "it is disabled, and host shop.test is not among other.test",
    ]);
    for (const id of ["off", "off-too"]) await gateway.call("DELETE", `/routes/${id}`);
  });

  it("which_route returns the merged plugins in running order, with location and overridden plugins", async () => {
    const { plugins, route, upstream } = await ask({ url: "http://shop.test/orders/7", headers: KEY });
    expect(plugins.map(({ name, from, hides }) => [name, from, hides])).toEqual([
      ["proxy-rewrite", "route", []],
      ["key-auth", "service", []],
      ["response-rewrite", "route", ["services/shop plugins.response-rewrite"]],
      ["syslog", "route", []],
    ]);
    expect(plugins[1]?.place).toMatch(/^gateway\.yaml:5:/);
    expect(route?.takes[0]).toContain("It takes GET, POST for /orders/* on shop.test");
    expect(upstream).toMatchObject({ key: "service:shop", nodes: [{ host: "orders.internal", port: 8080 }] });
  });

  it("which_route returns upstream request, response to a stub, and log record", async () => {
    const told = await ask({
      method: "POST",
      url: "http://shop.test/orders/7?a=b",
      headers: { ...KEY, "X-Many": ["one", "two"] },
      body: "größe",
      remote_addr: "203.0.113.9",
      upstream_response: { status: 201, headers: { "X-From": "stub" }, body: "made" },
    });
    expect(told.upstream_request).toMatchObject({ method: "POST", target: "/orders/7?a=b", body: "größe" });
    expect(told.upstream_request?.headers.filter(([name]) => name === "X-Many")).toHaveLength(2);
    expect(told.response).toMatchObject({ status: 201, body: "made" });
    expect([
      field(told.response, "x-from"),
      field(told.response, "x-route"),
      field(told.response, "x-service"),
    ]).toEqual(["stub", "orders", undefined]);
    expect(told.logs).toMatchObject([{ plugin: "syslog", record: { client_ip: "203.0.113.9" } }]);
    expect(told.faults).toEqual([]);
  });

  it("which_route returns 404 without a matching route, and the reason of an early rejection", async () => {
    const lost = await ask({ url: "/nowhere", headers: { Host: "shop.test" } });
    expect([lost.matched, lost.response?.status, lost.route]).toEqual([null, 404, null]);
    const refused = await ask({ url: "http://shop.test/%zz" });
    expect([refused.refused?.status, refused.response]).toEqual([400, null]);
    const read = await ask({ url: "http://shop.test/orders%2F7", headers: KEY });
    expect(read.refused).toEqual({
      status: 400,
      reason:
        'the path of the target: it can also be read as /orders/7, which matches route "orders", while as received it matches route "later"',
    });
    const long = await ask({ url: "/a", headers: { "X-Long": "x".repeat(60_000) } });
    expect(long.refused?.status).toBe(431);
  });

  it("which_route knows a stored route at once and reports its disabled plugins", async () => {
    const route = {
      uri: "/stored",
      upstream: { nodes: { "127.0.0.1:9": 1 } },
      plugins: { "response-rewrite": { body: "x", _meta: { disable: true } } },
    };
    const before = await ask({ url: "/stored" });
    expect((await gateway.call("PUT", "/routes/stored", route)).status).toBe(201);
    const told = await ask({ url: "/stored" });
    expect([before.matched, told.matched, told.route?.place]).toEqual([null, "stored", "store"]);
    expect(told.generation).toBe(before.generation + 1);
    expect(told.plugins).toMatchObject([
      { name: "response-rewrite", from: "route", disabled: true, phases: [] },
    ]);
  });

  it("which_route returns no consumer's key, value of the environment or credential of the request", async () => {
    const answer = await post({
      url: "http://shop.test/orders/7?token=secret-of-the-query",
      headers: { ...KEY, Authorization: "Bearer secret-of-the-header" },
      upstream_response: { body: "echo consumer-key-of-ada secret-of-the-header value-of-the-environment" },
    });
    expect(answer.json["response"]).toMatchObject({ status: 200, body: "echo *** *** ***" });
    for (const secret of ["consumer-key-of-ada", "value-of-the-environment", "secret-of-the-"])
      expect(answer.text).not.toContain(secret);
  });

  it("which_route does not reveal whether guessed text is the beginning of a secret", async () => {
    const guesses = [
      "consumer-key-of-a…",
      "value-of-the-env…",
      "consumer%2Dkey%2Dof%E2%80%A6",
      "Y29uc3VtZXIta2V5…",
    ];
    const wrong = "consumer-key-off…";
    const body = [...guesses, wrong].join(" ");
    const long = `${"x".repeat(65_536 - 12)}value-of-the-environment`;
    const url = `http://shop.test/orders/${guesses[2]}`;
    const headers = { "X-Guess": body };
    const { status, text } = await post({ url, headers, upstream_response: { body } }, VIEWER_KEY);
    expect(status).toBe(200);
    const echoed =
      text.match(/consumer-key-of-a…|value-of-the-env…|Y29uc3VtZXIta2V5…|consumer-key-off…/g) ?? [];
    // In the log record, text that begins like a secret is treated as text that does not.
    expect(echoed.length).toBeGreaterThan(0);
    expect(echoed.filter((one) => one === wrong)).toHaveLength(echoed.length / 4);
    const cut = await post({
      url: "http://shop.test/orders/1",
      headers: KEY,
      upstream_response: { body: long },
    });
    expect(String((cut.json["response"] as { body: string }).body)).toMatch(/^x+\*\*\*$/);
  });

  it("which_route and modules contain no value of the environment in any encoding", async () => {
    const answer = await post({
      url: "http://escaped.test/p4711/a",
      upstream_response: { body: "on 4711" },
    });
    const { matched, candidates, route, plugins, upstream_request, request } =
      answer.json as unknown as Told & {
        request: { url: string };
      };
    expect([matched, candidates[0]?.id, request.url]).toEqual(["r4711", "r4711", "/p4711/a"]);
    expect(candidates[0]?.place).toMatch(/^gateway\.yaml:\d+:\d+$/);
    expect(route?.takes[0]).toContain("/p4711/");
    expect(plugins.map(({ from }) => from)).toContain("route");
    expect(field(upstream_request, "x-pin")).toBe("pin ***");
    expect(field(upstream_request, "x-on")).toBe("is on");
    expect(upstream_request?.target).toBe("/abc/***/a");
    const view = await gateway.call("GET", "/module/routes/r4711", undefined, { key: VIEWER_KEY });
    expect(view.json["key"]).toBe("/gw/routes/r4711");
    for (const { text } of [answer, view]) {
      expect(text).not.toMatch(/p@ss|ord é|ord Ã|ord \\u|%C3%A9|pin 4711|cret@1|cret%401|x:y/);
      expect(text).toContain("***");
      expect(text).toContain("/p4711/");
    }
  });

  it("a viewer reads variables of files by name, and settings without variables", async () => {
    const read = await gateway.call("GET", "/routes/r4711", undefined, { key: VIEWER_KEY });
    expect(read.json).toMatchObject({
      key: "/gw/routes/r4711",
      value: {
        uri: "/p4711/*",
        plugins: {
          "proxy-rewrite": {
            regex_uri: ["^/p4711/(.*)$", "/abc/${{GWC_TEST_PATH}}/$1"],
            headers: { set: { Authorization: "Basic ${{GWC_TEST_SECRET}}", "X-On": "is on" } },
          },
          "response-rewrite": { body: "says ${{GWC_TEST_SECRET}}" },
        },
      },
    });
    const list = await gateway.call("GET", "/routes", undefined, { key: VIEWER_KEY });
    for (const { text } of [read, list]) expect(text).not.toMatch(/p@ss|pin 4711|se cret|value-of-the-env/);
    expect(list.text).toContain("${{GWC_TEST_TOKEN}}");
  });

  it("which_route responds to a viewer, who may not write", async () => {
    expect((await post({ url: "/a" }, VIEWER_KEY)).status).toBe(200);
    expect((await gateway.call("POST", "/routes", { uri: "/v" }, { key: VIEWER_KEY })).status).toBe(401);
    expect((await post({ url: "/a" }, "none")).status).toBe(401);
    expect((await gateway.call("GET", "/which_route")).status).toBe(404);
    expect(
      (await gateway.call("POST", "/which_route/routes", { url: "/" }, { key: VIEWER_KEY })).status,
    ).toBe(401);
  });

  it("the module view of a route has the source of each line, plan, merged plugins, and no secret", async () => {
    const { status, json, text } = await gateway.call("GET", "/module/routes/orders", undefined, {
      key: VIEWER_KEY,
    });
    expect([status, json["key"]]).toEqual([200, "/gw/routes/orders"]);
    const { code, lines } = json["module"] as {
      code: string;
      lines: { from: number; to: number; address: string; place: string }[];
    };
    const set = code.split("\n").findIndex((line) => line.includes("X-Route")) + 1;
    const made = lines.find(({ from, to }) => from <= set && set <= to);
    expect(made?.address).toMatch(/^routes\/orders plugins\.response-rewrite/);
    expect(made?.place).toMatch(/^gateway\.yaml:17:/);
    const { plan, places } = json as {
      plan: { origin: string };
      places: { address: string; place: string }[];
    };
    const { configuration } = json as { configuration: { address: string; place: string }[] };
    expect(configuration).toMatchObject([
      { address: "routes/orders", place: expect.stringMatching(/^gateway\.yaml:9:/) },
      { address: "services/shop", value: { id: "shop" } },
      { address: expect.stringMatching(/^consumers\//), value: expect.anything() },
    ]);
    expect(places.find(({ address }) => address === plan.origin)?.place).toMatch(/^gateway\.yaml:9:/);
    const { route, plugins } = json as {
      route: { takes: string[] };
      plugins: { name: string; from: string; hides: string[] }[];
    };
    expect(route.takes.join(" ")).toContain("/orders/*");
    expect(plugins.map(({ name, from, hides }) => [name, from, hides])).toEqual([
      ["proxy-rewrite", "route", []],
      ["key-auth", "service", []],
      ["response-rewrite", "route", ["services/shop plugins.response-rewrite"]],
      ["syslog", "route", []],
    ]);
    const placed = places.map(({ address }) => address);
    expect(placed).toEqual(expect.arrayContaining(lines.map(({ address }) => address)));
    expect(
      lines.map(({ address }) => address).some((one) => one.startsWith("services/shop plugins.key-auth")),
    ).toBe(true);
    for (const secret of ["consumer-key-of-ada", "value-of-the-environment"])
      expect(text).not.toContain(secret);
    expect((await gateway.call("GET", "/module/routes/nothing")).status).toBe(404);
    expect((await gateway.call("GET", "/module/consumers/ada")).status).toBe(404);
  });

  it.each([
    [{ url: "/a", methode: "GET" }, 'did you mean "method"'],
    [{ path: "/a" }, "url"],
    [{ url: "/a\r\nX-Evil: 1" }, "control characters"],
    [{ url: "/a", headers: { "X-A": "1\r\nX-Evil: 1" } }, "control characters"],
    [{ url: "/a", headers: { "X A": "1" } }, '"X A" is not a header name'],
    [{ url: "/a", method: "G\nET" }, "a method"],
    [{ url: "/a", remote_addr: "nobody" }, "address"],
    ["{", "invalid request body"],
    ["", "empty request body"],
  ])("which_route rejects %j with the reason", async (body, said) => {
    const { status, text } = await post(body);
    expect([status, text]).toEqual([400, expect.stringContaining(said.replaceAll('"', '\\"'))]);
  });
});
