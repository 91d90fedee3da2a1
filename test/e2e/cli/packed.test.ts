import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "acorn";
import { beforeAll, expect, it } from "vitest";
import { useTemporaryDirectory } from "../../support/cli.js";

// Content of the package that `npm pack` makes, and its use without a checkout.

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const directory = useTemporaryDirectory();
let files: string[];

beforeAll(() => {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" })) as {
    files: { path: string }[];
  }[];
  files = (packed?.files ?? []).map(({ path }) => path);
});

/**
 * Makes a project with gwc and its dependencies.
 * @param without names of packages that the project lacks
 */
function project(without: readonly string[] = []): string {
  const modules = join(directory.path, "node_modules");
  for (const file of files) {
    const to = join(modules, "gwc", file);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(ROOT, file), to);
  }
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    if (without.includes(name)) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(directory.path, "package.json"), JSON.stringify({ type: "module" }));
  return directory.path;
}

const node = (...args: string[]) => nodeWith({}, ...args);

const nodeWith = (environment: Record<string, string>, ...args: string[]) =>
  spawnSync(process.execPath, args, {
    cwd: directory.path,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], ...environment },
  });

it("the package contains no tests, benchmarks, oracles or build caches", () => {
  expect(files.length).toBeGreaterThan(1_000);
  const idle = /^\.build\/test\/|(?:^|\/)(?:bench|cases)\/|plugins\/[^/]+\/oracle\.|\.tsbuildinfo$|\.test\./;
  // Examples of plugins are complete packages with their cases.
  const held = files.filter((file) => !file.startsWith("examples/plugins/"));
  expect(held.filter((file) => idle.test(file))).toEqual([]);
});

it("the package contains every module that its modules import", () => {
  const held = new Set(files);
  const missing = files
    .filter((file) => file.endsWith(".js"))
    .flatMap((file) => {
      const { body } = parse(readFileSync(join(ROOT, file), "utf8"), {
        sourceType: "module",
        ecmaVersion: "latest",
        allowHashBang: true,
      });
      const named = body.flatMap((one) => ("source" in one && one.source ? [String(one.source.value)] : []));
      const beside = named.filter((to) => to.startsWith("."));
      return beside.map((to) => join(dirname(file), to)).filter((to) => !held.has(to));
    });
  expect(missing).toEqual([]);
});

it("the package runs gwc init, check, build, diff and new plugin without a checkout", () => {
  project();
  const cli = join("node_modules", "gwc", ".build", "bundle", "gwc.js");
  expect(node(cli, "init").status).toBe(0);
  expect(node(cli, "check")).toMatchObject({ status: 0 });
  expect(node(cli, "build")).toMatchObject({ status: 0 });
  expect(existsSync(join(directory.path, "dist/manifest.json"))).toBe(true);
  expect(node(cli, "diff", "gateway.yaml", "dist")).toMatchObject({ status: 0 });
  expect(node(cli, "new", "plugin", "probe")).toMatchObject({ status: 0 });
});

it("the package has a validator for each schema, needs no ajv, and refuses to check without a validator", () => {
  project(["ajv"]);
  const validators = join(".build", "bundle", "validators");
  const held = files.filter((file) => file.startsWith(`${validators}/`));
  const schemas = files.filter(
    (file) => /^schema\/.*\.json$/.test(file) && file !== "schema/configuration.json",
  );
  for (const schema of schemas)
    expect(held).toContain(join(validators, schema.slice("schema/".length).replace(/\.json$/, ".js")));
  const cli = join("node_modules", "gwc", ".build", "bundle", "gwc.js");
  expect(node(cli, "init").status).toBe(0);
  expect(node(cli, "check")).toMatchObject({ status: 0 });
  rmSync(join(directory.path, "node_modules", "gwc", validators, "route.js"));
  const { status, stderr } = node(cli, "check");
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^gwc: this gwc is incomplete: .*route\.js is missing/),
  ]);
  const mapped = { NODE_OPTIONS: "--enable-source-maps", GWC_DEBUG: "1" };
  expect(node(cli, "check").stderr).not.toContain("validators.ts");
  expect(nodeWith(mapped, cli, "check").stderr).toMatch(
    /at builtValidator \(.*compiler\/2-validate\/validators\.ts:\d+:\d+\)/,
  );
});

it("[V12] the package has the captcha's components, which render an empty element on a server", () => {
  project();
  const modules = join(directory.path, "node_modules");
  for (const name of ["react", "react-dom", "vue"])
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  for (const name of ["module", "react", "vue"])
    expect(files).toContain(`.build/plugins/captcha/widget/wrappers/${name}.d.ts`);
  writeFileSync(
    join(directory.path, "pages.js"),
    `import { Captcha } from "gwc/captcha/react";
import { Captcha as Component } from "gwc/captcha/vue";
import { renderCaptcha } from "gwc/captcha/module";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { createSSRApp, h } from "vue";
import { renderToString as render } from "vue/server-renderer";

const settings = { url: "https://captcha.example.com", sitekey: "sk_shop_login" };
console.log(renderToString(createElement(Captcha, settings)), await render(createSSRApp(() => h(Component, settings))), typeof renderCaptcha);
`,
  );
  const { status, stdout, stderr } = node("pages.js");
  expect([status, stdout, stderr]).toEqual([0, "<div></div> <div></div> function\n", ""]);
});

it("the package lets a program compile and start a gateway", () => {
  project();
  writeFileSync(
    join(directory.path, "program.js"),
    `import { compile } from "gwc/compiler";
import { startGateway } from "gwc/gateway";

const text = "routes: [{ id: a, uri: /a, upstream: { nodes: { '127.0.0.1:9': 1 } } }]";
const { plan } = compile({ sources: [{ name: "a.yaml", text, format: "yaml" }], environment: {} });
console.log(plan.routes.length);
await (await import("node:fs/promises")).writeFile("gateway.yaml", text);
const here = { host: "127.0.0.1", port: 0, setting: "program" };
const settings = { data: [here], admin: here, status: here, metrics: null };
const gateway = await startGateway({ paths: ["gateway.yaml"], store: false, settings });
const { port } = gateway.addresses.data[0];
console.log((await fetch(\`http://127.0.0.1:\${port}/nowhere\`)).status);
await gateway.close();
`,
  );
  const { status, stdout, stderr } = node("program.js");
  expect([status, stdout, stderr]).toEqual([0, "1\n404\n", ""]);
});
