// Credentials that only their names reveal: masked in responses, retained when a write sends the masks back.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, AdminGateway, exchange, UPSTREAM, VIEWER_KEY } from "./admin.js";

const SECRETS = {
  header: "header-secret-1",
  bearer: "bearer-secret-2",
  line: "line-secret-3",
  query: "query-secret-4",
  user: "user:secret-5",
  condition: "condition-secret-6",
  cookie: "cookie-secret-7",
  format: "format-secret-8",
  metadata: "metadata-secret-9",
  filed: "filed-secret-10",
  added: "added-secret-11",
  named: "named-secret-12",
  number: 918273645,
};
const ALL = Object.values(SECRETS).map(String);
const MASK = /\*\*\*[0-9a-f]{8}/;

process.env["NAMED_TEST_PART"] = "part-of-the-environment";
const FILES = `routes:
  - id: filed
    name: https://ann:${SECRETS.named}@shop.example/
    labels: { "\${{NAMED_TEST_PART}}": team }
    uri: /filed/\${{NAMED_TEST_PART}}
    upstream: { nodes: { "127.0.0.1:9": 1 } }
    plugins:
      proxy-rewrite: { headers: { set: { X-Auth-Token: ${SECRETS.filed}, X-Plain: shown } } }
`;
const ROUTE = {
  uri: "/r",
  upstream: UPSTREAM,
  vars: [
    ["arg_mode", "==", "plain"],
    ["arg_token", "~=", SECRETS.condition],
    ["cookie_session", "~=", SECRETS.cookie],
    ["arg_pin_token", "~=", SECRETS.number],
  ],
  plugins: {
    "proxy-rewrite": { headers: { add: { Authorization: `Bearer ${SECRETS.bearer}` } } },
    "response-rewrite": {
      headers: {
        set: {
          "X-Api-Key": SECRETS.header,
          "X-Shop": SECRETS.added,
          Link: `https://${SECRETS.user}@a.test/?page=1&token=${SECRETS.query}`,
        },
        add: [`X-Auth-Token: ${SECRETS.line}`, "X-Plain: shown"],
      },
      status_code: 200,
    },
    syslog: { host: "127.0.0.1", port: 9, log_format: { password: SECRETS.format, host: "$host" } },
  },
};

type Json = Record<string, unknown>;
interface Route extends Json {
  vars: string[][];
  plugins: { "response-rewrite": { headers: { set: Record<string, string>; add: string[] } } };
}

let admin: AdminGateway;
let written: string;
beforeAll(async () => {
  admin = await AdminGateway.start(FILES, { audit_log: "audit.jsonl" });
  const answer = await admin.call("PUT", "/routes/r", ROUTE);
  expect([answer.status, answer.json["error_msg"]]).toEqual([201, undefined]);
  written = answer.text;
  const metadata = { log_format: { api_key: SECRETS.metadata } };
  expect((await admin.call("PUT", "/plugin_metadata/syslog", metadata)).status).toBe(201);
  // The header's name reveals nothing, but another route takes a key from it.
  const keyed = { uri: "/keyed", upstream: UPSTREAM, plugins: { "key-auth": { header: "X-Shop" } } };
  expect((await admin.call("PUT", "/routes/keyed", keyed)).status).toBe(201);
});
afterAll(() => admin.stop());

const route = async (): Promise<Route> => (await admin.call("GET", "/routes/r")).json["value"] as Route;
const numberOfChange = async (): Promise<string> => {
  const { list } = (await admin.call("GET", "/history?kind=routes&id=r")).json as {
    list: { number: number }[];
  };
  return String(list[0]?.number);
};

/** Response to requests of the route. */
const served = () => exchange(admin.port("data"), "GET", "/r?mode=plain");

describe("a credential that its name reveals", () => {
  it.each([
    ["admin", ADMIN_KEY],
    ["viewer", VIEWER_KEY],
  ])("a named credential is in no response to a key of role %s", async (_, key) => {
    const paths = ["/routes/r", "/routes", "/routes/filed", "/plugin_metadata/syslog", "/plugin_metadata"];
    paths.push(`/history/${await numberOfChange()}`, "/history", "/export", "/module/routes/r");
    for (const path of paths) {
      const { status, text } = await admin.call("GET", path, undefined, { key });
      expect([path, status]).toEqual([path, 200]);
      expect([path, ALL.filter((secret) => text.includes(secret))]).toEqual([path, []]);
    }
  });

  it("a named credential is in no response to a write or a dry run, and in no line of the audit file", async () => {
    const shown = ALL.filter((secret) => secret !== SECRETS.added);
    expect(shown.filter((secret) => written.includes(secret))).toEqual([]);
    for (const trial of ["true", "effect"]) {
      const tried = await admin.call("PATCH", `/routes/r?dry_run=${trial}`, { desc: "other" });
      expect([trial, tried.status]).toEqual([trial, 200]);
      expect(ALL.filter((secret) => tried.text.includes(secret))).toEqual([]);
    }
    const invalid = await admin.call("PUT", "/routes/r", { ...ROUTE, vars: [...ROUTE.vars, ["arg_token"]] });
    expect(invalid.status).toBe(400);
    expect(ALL.filter((secret) => invalid.text.includes(secret))).toEqual([]);
    const audited = readFileSync(join(admin.directory, "audit.jsonl"), "utf8");
    expect(
      audited
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as Json)["id"]),
    ).toContain("r");
    // The name of its field was that of no credential when it was written.
    expect(shown.filter((secret) => audited.includes(secret))).toEqual([]);
  });

  it.each([
    ["name=^https:..ann:named-s", 0],
    ["uri=part-of-the", 0],
    ["label=part-of-the-environment", 0],
    ["name=^https:..[*]{3}[0-9a-f]+@shop", 1],
    ["uri=NAMED_TEST_PART", 1],
    ["uri=^/filed", 1],
  ])("a list query searches the masked text of credentials: %s finds %d", async (query, total) => {
    const asked = query.replaceAll("^", "%5E").replaceAll("+", "%2B");
    const { status, json } = await admin.call("GET", `/routes?${asked}`, undefined, { key: VIEWER_KEY });
    expect([status, json["total"]]).toEqual([200, total]);
  });

  it("a mask replaces the credential and leaves the text around it", async () => {
    const { vars, plugins } = await route();
    const { set, add } = plugins["response-rewrite"].headers;
    expect(set["Link"]).toMatch(/^https:\/\/\*{3}[0-9a-f]{8}@a\.test\/\?page=1&token=\*{3}[0-9a-f]{8}$/);
    expect(add).toEqual([expect.stringMatching(/^X-Auth-Token: \*{3}[0-9a-f]{8}$/), "X-Plain: shown"]);
    expect(vars).toEqual([
      ["arg_mode", "==", "plain"],
      ["arg_token", "~=", expect.stringMatching(MASK)],
      ["cookie_session", "~=", expect.stringMatching(MASK)],
      ["arg_pin_token", "~=", expect.stringMatching(MASK)],
    ]);
  });

  it("a credential is retained when its mask is sent back, also in reordered lists", async () => {
    const before = await served();
    expect(before.headers["x-api-key"]).toBe(SECRETS.header);
    const { create_time: _made, update_time: _changed, ...value } = await route();
    value.plugins["response-rewrite"].headers.add.reverse();
    value.vars.reverse();
    const { status, json } = await admin.call("PUT", "/routes/r", { ...value, desc: "sent back" });
    expect([status, json["error_msg"]]).toEqual([200, undefined]);
    const { headers } = await served();
    const names = ["x-api-key", "x-shop", "x-auth-token", "x-plain", "link"];
    expect(names.map((name) => headers[name])).toEqual(names.map((name) => before.headers[name]));
    expect((await admin.call("PATCH", "/routes/r", { plugins: value.plugins })).status).toBe(200);
    expect((await served()).headers["x-api-key"]).toBe(SECRETS.header);
    const tried = await exchange(admin.port("data"), "GET", `/r?mode=plain&token=${SECRETS.condition}`);
    expect(tried.status).toBe(404);
    const pinned = await exchange(admin.port("data"), "GET", `/r?mode=plain&pin_token=${SECRETS.number}`);
    expect(pinned.status).toBe(404);
  });

  it.each<[string, (set: Record<string, string>) => Record<string, string>]>([
    ["a field that is shown", (set) => ({ ...set, "X-Shown": String(set["X-Api-Key"]) })],
    ["another credential", (set) => ({ ...set, "X-Shop": String(set["X-Api-Key"]) })],
    [
      "another part of an address",
      (set) => ({
        ...set,
        Link: String(set["Link"]).replace("page=1", `page=${MASK.exec(String(set["Link"]))?.[0]}`),
      }),
    ],
  ])("a mask that is moved into %s is rejected", async (_, moved) => {
    const { create_time: _made, update_time: _changed, ...value } = await route();
    const { headers } = value.plugins["response-rewrite"];
    headers.set = moved(headers.set);
    const { status, json } = await admin.call("PUT", "/routes/r", value);
    expect([status, json["error_msg"]]).toEqual([
      400,
      expect.stringMatching(/is the mask of a secret that the resource does not contain: send the secret$/),
    ]);
  });

  it("an export contains a variable in place of a named credential", async () => {
    const { json } = await admin.call("GET", "/export");
    const { configuration, variables } = json as {
      configuration: { routes: Route[] };
      variables: { name: string; path: unknown[] }[];
    };
    const of = configuration.routes.find(({ id }) => id === "r")?.plugins["response-rewrite"].headers;
    expect(of?.set["X-Api-Key"]).toMatch(
      /^\$\{\{ROUTES_R_PLUGINS_RESPONSE_REWRITE_HEADERS_SET_X_API_KEY\}\}$/,
    );
    expect(of?.set["Link"]).toMatch(/^https:\/\/\$\{\{\w+\}\}@a\.test\/\?page=1&token=\$\{\{\w+\}\}$/);
    expect(variables.map(({ path }) => path)).toContainEqual([
      ...["plugins", "response-rewrite", "headers", "set", "X-Api-Key"],
    ]);
  });

  it("a named credential is masked after it was read from the store at start", async () => {
    await admin.gateway.close(0);
    await admin.open();
    const { text } = await admin.call("GET", "/routes");
    expect(ALL.filter((secret) => text.includes(secret))).toEqual([]);
    expect((await served()).headers["x-api-key"]).toBe(SECRETS.header);
  });
});
