// The built thread, since a worker_thread cannot load TypeScript.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from "vitest";
import { type CompilerThread, startCompiler } from "../../../.build/compiler/thread/compiler-client.js";

const directory = mkdtempSync(join(tmpdir(), "gwc-thread-"));
const route = (id: string, upstream = "orders") =>
  ({ put: { kind: "routes", id, text: JSON.stringify({ uri: `/${id}`, upstream_id: upstream }) } }) as const;
let compiler: CompilerThread;
let ends: string[];

beforeAll(() => {
  writeFileSync(
    join(directory, "gateway.yaml"),
    'upstreams:\n  - { id: orders, nodes: { "10.0.0.1:80": 1 } }\nroutes:\n  - { id: file, uri: /file, upstream_id: orders }\n',
  );
  writeFileSync(
    join(directory, "broken.yaml"),
    "routes:\n  - { id: file, uri: /file, upstream_id: orders }\n",
  );
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
afterEach(() => compiler.close());

async function started(more: readonly string[] = [], policy?: string): Promise<CompilerThread> {
  ends = [];
  const plugins = [new URL("../../../.build/plugins/index.js", import.meta.url).href, ...more];
  const trials = new URL("../../../.build/runtime/control/in-process/effect-simulator.js", import.meta.url)
    .href;
  compiler = startCompiler({ directory, plugins, trials, policy, onEnd: (reason) => ends.push(reason) });
  const loaded = await compiler.load(["gateway.yaml"], []);
  expect(loaded.report).toBe("");
  expect(loaded.artifact?.routes.map(({ id }) => id)).toEqual(["file"]);
  return compiler;
}

it("the compiler thread loads files, compiles a write, and rejects the deletion of a used upstream", async () => {
  const thread = await started();
  const written = await thread.write([route("1")]);
  expect(written.delta?.routes.put.map(({ id }) => id)).toEqual(["1"]);
  await thread.commit();
  const refused = await thread.write([{ remove: { kind: "upstreams", id: "orders" } }]);
  expect(refused.delta).toBeUndefined();
  expect(refused.diagnostics.map(({ code }) => code)).toEqual(["GW3003"]);
});

it("the compiler thread rejects a write that names a missing upstream with the reference's error message", async () => {
  const thread = await started();
  const { errorMessage } = await thread.write([route("1", "9")]);
  expect(errorMessage).toBe("failed to fetch upstream info by upstream id [9], response code: 404");
});

it("a reload that lacks a used upstream is rejected as a whole, with the upstream's previous location", async () => {
  const thread = await started();
  await thread.write([route("1")]);
  await thread.commit();
  const reload = await thread.reload(["broken.yaml"]);
  expect(reload.delta).toBeUndefined();
  expect(reload.report).toContain(
    'admin routes/1:1:1 error GW3010: "upstream_id" refers to upstream "orders"',
  );
  expect(reload.report).toContain("gateway.yaml:2:11 note: it was here before");
  const { delta } = await thread.write([route("2")]);
  expect(delta?.routes.put).toHaveLength(1);
});

it("the inputs hash covers the file contents that the compiler read and the stored resources that remain", async () => {
  process.env["GWC_TEST_STORED"] = "a";
  onTestFinished(() => {
    delete process.env["GWC_TEST_STORED"];
  });
  const thread = await started();
  const stored = {
    ...{ kind: "routes", id: "1" },
    value: { uri: "/${{GWC_TEST_STORED}}", upstream_id: "orders" },
  } as const;
  const { inputs } = await thread.load(["gateway.yaml"], [stored]);
  expect(inputs).toBe(thread.inputs(["gateway.yaml"], [stored]));
  const file = join(directory, "changing.yaml");
  const text = (id: string) =>
    `upstreams:\n  - { id: orders, nodes: { "10.0.0.1:80": 1 } }\nroutes:\n  - { id: ${id}, uri: /${id}, upstream_id: orders }\n`;
  writeFileSync(file, text("read"));
  const before = thread.inputs(["changing.yaml"], [stored]);
  const reloading = thread.reload(["changing.yaml"]);
  writeFileSync(file, text("later"));
  const reloaded = await reloading;
  expect(reloaded.delta?.routes.put.map(({ id }) => id)).toEqual(["read"]);
  expect(reloaded.inputs).toBe(before);
  await thread.discard();
  const adopted = await thread.reload(["changing.yaml"], [stored]);
  expect(adopted.inputs).toBe(thread.inputs(["changing.yaml"], []));
  expect(adopted.inputs).not.toBe(thread.inputs(["changing.yaml"], [stored]));
});

it("the hash of the policy text in effect is reported for loads, reloads and build checks", async () => {
  const put = (text: string) => writeFileSync(join(directory, "policy.yaml"), text);
  const [first, second, third] = ["response-rewrite", "key-auth", "redirect"].map((plugin) => {
    const text = `plugins: { deny: [${plugin}] }\n`;
    return { text, hash: createHash("sha256").update(text).digest("hex") };
  }) as [Policy, Policy, Policy];
  put(first.text);
  const thread = await started([], "policy.yaml");
  const during = async <T>(asked: Promise<T>, later: Policy) => {
    put(later.text);
    return asked;
  };
  expect(await during(thread.load(["gateway.yaml"], []), second)).toMatchObject({ policy: first.hash });
  expect(await during(thread.reload(["gateway.yaml"]), third)).toMatchObject({ policy: second.hash });
  await thread.commit();
  expect(thread.policy()).toBe(third.hash);
  expect(await thread.reload([], [], [])).toMatchObject({ inputs: undefined, policy: third.hash });
  await thread.discard();
  const built = { path: "dist", version: "", policy: undefined, plan: undefined };
  const content = { ...built, resources: [], deployment: null, packages: [] };
  const file = join(directory, "policy.yaml");
  expect(await thread.judgeBuild(content, file, directory)).toEqual({ report: "", policy: third.hash });
  rmSync(file);
  expect((await thread.reload([], [], [])).artifact).toBeUndefined();
});

interface Policy {
  text: string;
  hash: string;
}

it("no report of the compiler thread contains a credential whose header name comes from a variable", async () => {
  process.env["GWC_TEST_NAME"] = "Authorization";
  onTestFinished(() => {
    delete process.env["GWC_TEST_NAME"];
  });
  const thread = await started();
  const text =
    'routes:\n  - { id: r, uri: /r, upstream: { nodes: { "10.0.0.1:80": 1 } }, vars: [[request_method, "==", get]], plugins: { proxy-rewrite: { headers: { set: { "${{GWC_TEST_NAME}}": s3cret } } } } }\n';
  writeFileSync(join(directory, "named.yaml"), text);
  const loaded = await thread.load(["named.yaml"], []);
  expect(loaded.report).toContain("GW3071");
  writeFileSync(join(directory, "named.yaml"), text.replace("id: r", "id: s"));
  const reloaded = await thread.reload(["named.yaml"]);
  expect(reloaded.report).toContain("GW3071");
  expect(loaded.report + reloaded.report).not.toContain("s3cret");
});

it("a reload with an unreadable file fails with GW1030", async () => {
  const thread = await started();
  const reload = await thread.reload(["gateway.yaml", "gone.yaml"]);
  expect(reload.delta).toBeUndefined();
  expect(reload.diagnostics.map(({ code }) => code)).toEqual(["GW1030"]);
});

it("a compiler thread that ends is replaced and continues from the last committed change", async () => {
  const thread = await started();
  await thread.write([route("1")]);
  await thread.commit();
  await thread.write([route("2")]);
  // A write during an uncommitted one is the caller's error; it ends the thread as a compiler error would.
  await expect(thread.write([route("3")])).rejects.toThrow("under way");
  const { delta } = await thread.write([{ remove: { kind: "routes", id: "1" } }, route("4")]);
  expect(delta?.routes.remove).toEqual(["1"]);
  expect(delta?.routes.put.map(({ id }) => id)).toEqual(["4"]);
  expect(ends).toHaveLength(1);
});

it("the compiler thread is not started a third time after its replacement fails, until files are loaded", async () => {
  const plugin = join(directory, "plugin.mjs");
  writeFileSync(plugin, "");
  const thread = await started([pathToFileURL(plugin).href]);
  writeFileSync(plugin, "throw new Error('half an update');");
  await thread.write([route("1")]);
  await expect(thread.write([route("2")])).rejects.toThrow("under way");
  await expect.poll(() => ends).toHaveLength(2);
  await expect(thread.write([route("3")])).rejects.toThrow(
    "the compiler ended twice, restart the gateway: half an update",
  );
  expect(ends).toEqual([expect.stringContaining("under way"), "half an update"]);
  writeFileSync(plugin, "");
  expect((await thread.load(["gateway.yaml"], [])).report).toBe("");
});

it("the compiler thread lists plugins by priority, returns schemas, and validates a resource", async () => {
  const thread = await started();
  const plugins = await thread.plugins();
  expect(plugins.map(({ priority }) => priority)).toEqual(
    plugins.map(({ priority }) => priority).sort((a, b) => b - a),
  );
  expect(await thread.schema("route")).toMatchObject({ title: "Route" });
  expect(await thread.schema("nonsense")).toBeNull();
  expect(await thread.validate("routes", { uri: 5 })).toContain("uri");
});
