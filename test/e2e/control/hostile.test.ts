import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { AdminGateway, UPSTREAM, VIEWER_KEY } from "./admin.js";

// Harmful input to the admin API, intended or not.

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
  const route = { uri: "/r", name: `${"a".repeat(46)}!`, upstream: UPSTREAM, labels: { a: "b" } };
  expect((await admin.call("PUT", "/routes/r", route)).status).toBe(201);
});
afterAll(() => admin.stop());

describe("patterns of a list", () => {
  it("a backtracking-prone pattern in a list query finishes, with and without a match", async () => {
    const answer = await admin.call("GET", `/routes?name=${encodeURIComponent("^(a+)+$")}`, undefined, {
      key: VIEWER_KEY,
    });
    expect(answer.json["total"]).toBe(0);
    const found = await admin.call("GET", `/routes?name=${encodeURIComponent("^(a+)+!$")}`);
    expect(found.json["total"]).toBe(1);
  });

  it.each(["(?=(a+)+$)b", "(a+)+\\1$", "((a{99}){99}){99}", "["])(
    "the list pattern %s is rejected, since it cannot run in linear time",
    async (pattern) => {
      const answer = await admin.call("GET", `/routes?name=${encodeURIComponent(pattern)}`);
      expect(answer.status).toBe(400);
      expect(answer.text).toBe("invalid name: not a regular expression that runs in linear time");
    },
  );
});

describe("connections above the limit", () => {
  it.each(["admin", "status"] as const)(
    "a new connection to the %s listener closes the one that was idle longest",
    async (kind) => {
      const limited = await AdminGateway.start("", { connections: 2 });
      onTestFinished(() => limited.stop());
      const open = () => {
        const socket = connect(limited.port(kind), "127.0.0.1");
        onTestFinished(() => void socket.destroy());
        return socket;
      };
      const answered = async (socket: Socket) => {
        socket.write("GET /status HTTP/1.1\r\nHost: a\r\n\r\n");
        const closed = once(socket, "close").then(() => [""]);
        const [data] = await Promise.race([once(socket, "data"), closed]);
        return String(data).startsWith("HTTP/1.1 ");
      };
      const [first, second] = [open(), open()];
      expect(await answered(first)).toBe(true);
      expect(await answered(second)).toBe(true);
      const closed = once(first.resume(), "close");
      expect(await answered(open())).toBe(true);
      await closed;
      expect(second.destroyed).toBe(false);
      expect(await answered(second)).toBe(true);
    },
  );
});

describe("input nested too deeply", () => {
  const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  it.each<[string, string]>([
    ["PUT", "/routes/1"],
    ["PATCH", "/routes/r"],
    ["PATCH", "/routes/r/labels"],
    ["POST", "/schema/validate/routes"],
  ])("a body nested more than 1,000 deep is rejected in %s %s", async (method, path) => {
    const answer = await admin.call(method, path, `{"labels":${deep}}`);
    expect(answer.status).toBe(400);
    expect(answer.json["error_msg"]).toMatch(
      /^invalid request body: nested more than 1000 deep, at line 1, column \d{4}$/,
    );
  });

  it("a sub-path of 7,000 segments is rejected", async () => {
    const answer = await admin.call("PATCH", `/routes/r${"/a".repeat(7000)}`, 1);
    expect(answer.status).toBe(400);
    expect(answer.json["error_msg"]).toBe(`invalid sub-path: ${"/a".repeat(65)}`);
  });
});

describe("more values than a resource may have", () => {
  const zeros = `[${"0,".repeat(700_000)}0]`;
  const message = (count: number) => `the body contains ${count} values and variables; the limit is 60000`;
  it.each<[string, string, string, string]>([
    ["PUT", "/routes/1", `{"vars":${zeros}}`, `invalid configuration: ${message(700_003)}`],
    ["POST", "/routes", `{"vars":${zeros}}`, `invalid configuration: ${message(700_003)}`],
    ["PATCH", "/routes/r", `{"vars":${zeros}}`, `invalid configuration: ${message(700_003)}`],
    ["PATCH", "/routes/r/vars", zeros, `invalid configuration: ${message(700_002)}`],
    ["POST", "/schema/validate/routes", `{"vars":${zeros}}`, message(700_003)],
  ])("a body with more than 60,000 values is rejected in %s %s", async (method, path, body, expected) => {
    const { status, json } = await admin.call(method, path, body);
    expect([status, json["error_msg"]]).toEqual([400, expected]);
    expect(json["diagnostics"]).toMatchObject([
      {
        code: "GW2138",
        help: expect.stringMatching(
          /^split the resource: the first excess value is at line 1, column 1[12]\d{4}$/,
        ),
      },
    ]);
  });
});

describe("a private key", () => {
  it("a private key is in no response", async () => {
    const { cert, key } = TEST_CERTIFICATE;
    const of = { snis: ["upstream.test"] };
    const written = await admin.call("PUT", "/ssls/1", { cert, key, ...of, certs: [cert], keys: [key] });
    expect(written.status).toBe(201);
    const patched = await admin.call("PATCH", "/ssls/1", { labels: { a: "b" } });
    expect(patched.status).toBe(200);
    const one = await admin.call("GET", "/ssls/1");
    const all = await admin.call("GET", "/ssls");
    for (const { text } of [written, patched, one, all]) {
      expect(text).toContain("BEGIN CERTIFICATE");
      expect(text).not.toContain("PRIVATE KEY");
    }
  });
});

describe("a patch", () => {
  it("PATCH with null retains the id and the timestamps of a resource", async () => {
    const answer = await admin.call("PATCH", "/routes/r", { id: null, create_time: null, update_time: null });
    expect(answer.json["value"]).toMatchObject({
      id: "r",
      create_time: expect.any(Number),
      update_time: expect.any(Number),
    });
  });
});
