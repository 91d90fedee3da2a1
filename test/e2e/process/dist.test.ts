import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { gwc } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { ProcessGateway } from "./gateway.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Packages that only the compiler imports. */
const COMPILER_PACKAGES = ["ajv", "handlebars", "ts-morph", "typescript", "yaml", "@ts-morph"];

const upstream = useUpstream();
let gateway: ProcessGateway;

afterEach(() => gateway.end());

/** Prepares a gateway whose configuration is built to `dist`, without starting it. */
async function built(): Promise<ProcessGateway> {
  const plugins = { "response-rewrite": { headers: { set: { "X-Built": "yes" } } } };
  const made = await ProcessGateway.prepare({
    routes: [{ id: "built", uri: "/built", upstream: { nodes: upstream.nodes }, plugins }],
    services: [{ id: "shared", upstream: { nodes: upstream.nodes } }],
  });
  const build = ["build", "gateway.json", "--out", "dist"];
  expect(gwc(made.directory, build, { GW_TEST_KEY: ProcessGateway.KEY })).toMatchObject({ status: 0 });
  rmSync(join(made.directory, "gateway.json"));
  return made;
}

describe("a build", () => {
  it("a build serves traffic, and its admin API is read-only", async () => {
    gateway = await built();
    await gateway.open({ paths: ["dist"] });
    const answer = await gateway.get("/built");
    expect([answer.text, answer.headers["x-built"]]).toEqual(["ok", "yes"]);
    const write = await gateway.admin("PUT", "/routes/x", { uri: "/x", upstream: { nodes: upstream.nodes } });
    expect([write.status, write.json["error_msg"]]).toEqual([503, expect.stringMatching(/--writable/)]);
    expect((await gateway.admin("GET", "/routes")).json).toMatchObject({
      total: 1,
      list: [{ key: "/gw/routes/built" }],
    });
    const read = (await gateway.admin("GET", "/routes/built")).json;
    expect(read).toMatchObject({
      value: { uri: "/built" },
      static: expect.stringMatching(/^gateway\.json:1:\d+$/),
    });
  });

  it.each([false, true])(
    "the admin API refuses writes to resources of a build with their locations (writable: %s)",
    async (writable) => {
      gateway = await built();
      await gateway.open({ paths: ["dist"], writable });
      const value = { uri: "/y", upstream: { nodes: upstream.nodes } };
      const place = /route "built" is part of the build \(from gateway\.json:1:\d+\)/;
      const service = /service "shared" is (?:part of the build \(from|defined in) gateway\.json:1(?::\d+)?/;
      const answers = [
        [await gateway.admin("PUT", "/routes/built", value), place],
        [await gateway.admin("PATCH", "/routes/built", { uri: "/y" }), place],
        [await gateway.admin("PATCH", "/routes/built/uri", "/y"), place],
        [await gateway.admin("DELETE", "/routes/built"), place],
        [await gateway.admin("PUT", "/services/shared", { upstream: { nodes: upstream.nodes } }), service],
        [await gateway.admin("DELETE", "/services/shared"), service],
      ] as const;
      for (const [{ status, json }, said] of answers)
        expect([status, json["error_msg"]]).toEqual([400, expect.stringMatching(said)]);
    },
  );

  it("a writable build takes stored routes with other ids than its own, also after a restart", async () => {
    gateway = await built();
    await gateway.open({ paths: ["dist"], writable: true });
    expect(
      (await gateway.admin("PUT", "/routes/x", { uri: "/x", upstream: { nodes: upstream.nodes } })).status,
    ).toBe(201);
    expect((await gateway.get("/x")).text).toBe("ok");
    expect((await gateway.get("/built")).headers["x-built"]).toBe("yes");
    const own = await gateway.admin("PUT", "/routes/built", {
      uri: "/y",
      upstream: { nodes: upstream.nodes },
    });
    expect([own.status, own.json["error_msg"]]).toEqual([400, expect.stringMatching(/built/)]);
    await gateway.stop();
    await gateway.open({ paths: ["dist"], writable: true });
    expect((await gateway.get("/x")).text).toBe("ok");
    expect((await gateway.get("/built")).headers["x-built"]).toBe("yes");
  });

  it("a build with a changed file does not start", async () => {
    gateway = await built();
    const file = join(gateway.directory, "dist", "routes", "built.ts");
    writeFileSync(file, `${readFileSync(file, "utf8")}// changed\n`);
    gateway.launch({ paths: ["dist"] });
    await new Promise((resolve) => gateway.process.once("exit", resolve));
    expect(gateway.process.exitCode).toBe(1);
    expect(gateway.errors).toMatch(/error GW6105: the build in \S+ has a changed \S*built\.ts: /);
  });

  it("a build runs without the packages of the compiler", async () => {
    gateway = await built();
    const installed = mkdtempSync(join(tmpdir(), "gwc-bare-"));
    cpSync(join(ROOT, ".build"), join(installed, ".build"), { recursive: true });
    cpSync(join(ROOT, "package.json"), join(installed, "package.json"));
    mkdirSync(join(installed, "node_modules"));
    for (const name of readdirSync(join(ROOT, "node_modules"))) {
      if (COMPILER_PACKAGES.includes(name)) continue;
      symlinkSync(join(ROOT, "node_modules", name), join(installed, "node_modules", name));
    }
    await gateway.open({ paths: ["dist"], root: installed });
    expect((await gateway.get("/built")).headers["x-built"]).toBe("yes");
    const schema = await gateway.admin("GET", "/schema/route");
    expect([schema.status, schema.json["error_msg"]]).toEqual([503, expect.stringMatching(/not installed/)]);
    await gateway.stop();
    rmSync(installed, { recursive: true });
  });
});
