import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { COUNTING, packageFiles, writeFiles } from "../../support/plugin-package.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

const PACKAGE = "gwc-plugin-counting";

const upstream = useUpstream();
let gateway: ProcessGateway;

afterEach(() => gateway.end());

const packageFolder = () => join(gateway.directory, "node_modules", PACKAGE);
const savedBundles = () => join(gateway.directory, "store", "generations", "plugins");
const readiness = () => exchange(gateway.statusPort, "GET", "/status/ready");

function resources(route: object = {}) {
  const plugins = { counting: { value: "n" } };
  return {
    plugins: [PACKAGE],
    routes: [{ id: "r", uri: "/r", upstream: { nodes: upstream.nodes }, plugins, ...route }],
  };
}

/** Response of the route, as soon as a worker listens. */
const answered = () => until(() => gateway.get("/r").catch(() => undefined));

/** Prepares a stopped gateway that has served with the package. */
async function hasServed(): Promise<void> {
  gateway = await ProcessGateway.prepare(resources(), { workers: 1 });
  writeFiles(packageFolder(), packageFiles("counting", COUNTING));
  await serves();
  await gateway.stop();
}

/** Starts the gateway and expects the header of the plugin. */
async function serves(): Promise<void> {
  await gateway.open();
  const { text, headers } = await answered();
  expect([text, headers["x-count"]]).toEqual(["ok", "n-1"]);
}

const BREAKS: [string, () => void, string][] = [
  ["has vanished", () => rmSync(packageFolder(), { recursive: true }), `there is no package "${PACKAGE}"`],
  [
    "throws when it is imported",
    () => writeFiles(packageFolder(), { "index.js": 'throw new Error("no luck")' }),
    `"${PACKAGE}" cannot be imported: Error: no luck`,
  ],
  [
    "has a runtime part that does not load",
    () => writeFiles(packageFolder(), { "runtime/index.js": 'throw new Error("no luck")' }),
    `the runtime code of "${PACKAGE}" cannot be bundled`,
  ],
];

it.each(BREAKS)(
  "a start runs the last known good generation if a package %s, and the files once it is back",
  async (_, breakIt, words) => {
    await hasServed();
    breakIt();
    await serves();
    const { status, json } = await readiness();
    const [warning] = json["warnings"] as { message: string }[];
    expect([status, warning]).toMatchObject([200, { code: "last_known_good" }]);
    expect(warning?.message).toMatch(/^the last known good generation \(\d+\) is running: /);
    expect(warning?.message).toContain(words);
    expect(gateway.log("last_known_good")[0]?.["reason"]).toContain(words);
    await gateway.stop();
    writeFiles(packageFolder(), packageFiles("counting", COUNTING));
    await gateway.open();
    expect((await answered()).headers["x-count"]).toBe("n-1");
    expect(await gateway.ready()).toBe(true);
  },
);

it("a fallback runs the saved plugin, and a package that has changed needs a restart", async () => {
  await hasServed();
  const other = (COUNTING["runtime/index.js"] ?? "").replace("label(name,", "label('other',");
  writeFiles(packageFolder(), { "runtime/index.js": other });
  gateway.write(resources({ uri: 7 }), { workers: 1 });
  await serves();
  gateway.write(resources(), { workers: 1 });
  gateway.process.kill("SIGHUP");
  const [refused] = await until(() => {
    const lines = gateway.log("reload_refused");
    return lines.length > 0 ? lines : undefined;
  });
  expect(refused?.["reason"]).toBe(
    'the plugin "counting" differs from the one in the running generation; restart the gateway',
  );
  expect((await gateway.get("/r")).headers["x-count"]).toBe("n-2");
  await gateway.stop();
  await gateway.open();
  expect((await answered()).headers["x-count"]).toBe("other-1");
  expect(await gateway.ready()).toBe(true);
});

it("a reload after a fallback takes corrected files if the package has not changed", async () => {
  await hasServed();
  gateway.write(resources({ uri: 7 }), { workers: 1 });
  await serves();
  gateway.write(resources({ uris: ["/r", "/s"], uri: undefined }), { workers: 1 });
  gateway.process.kill("SIGHUP");
  await until(() => gateway.log("reloaded").length > 0);
  expect((await gateway.get("/s")).headers["x-count"]).toMatch(/^n-/);
  expect(await gateway.ready()).toBe(true);
});

it("a start with a damaged store runs the plugins of the last known good generation", async () => {
  await hasServed();
  truncateSync(join(gateway.directory, "store", "store.lmdb"), 8192);
  await serves();
  expect((await readiness()).json["warnings"]).toMatchObject([
    { code: "last_known_good", message: expect.stringContaining("the store in") },
  ]);
});

it.each<[string, (file: string) => void]>([
  ["changed", (file) => appendFileSync(file, "\n// more\n")],
  ["gone", (file) => rmSync(file)],
])("a start without its package fails and names a saved plugin that is %s", async (_, damage) => {
  await hasServed();
  const [file = ""] = readdirSync(savedBundles());
  expect(file).toMatch(/^counting-[0-9a-f]{12}\.mjs$/);
  damage(join(savedBundles(), file));
  rmSync(packageFolder(), { recursive: true });
  gateway.launch();
  await once(gateway.process, "exit");
  expect(gateway.process.exitCode).toBe(1);
  expect(gateway.said).toContain(`there is no package "${PACKAGE}"`);
  expect(gateway.said).toContain(
    'the last known good generation cannot run: its plugin "counting" in the store differs from the saved one',
  );
});

it("a start that has the package repairs a damaged saved plugin", async () => {
  await hasServed();
  const [file = ""] = readdirSync(savedBundles());
  const saved = readFileSync(join(savedBundles(), file));
  writeFileSync(join(savedBundles(), file), "");
  await gateway.open();
  expect(readFileSync(join(savedBundles(), file))).toEqual(saved);
  expect(readdirSync(savedBundles())).toEqual([file]);
});
