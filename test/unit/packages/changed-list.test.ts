import "../../../plugins/index.js";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { contentHash } from "../../../compiler/packages/content-hash.js";
import { CompilerRpc, type ReadFiles } from "../../../compiler/thread/compiler-rpc.js";
import { temporaryDirectory } from "../../support/cli.js";
import { newCompilation } from "../../support/compilation.js";
import { configuration, packageFiles, writeFiles } from "../../support/plugin-package.js";

let site: ReturnType<typeof temporaryDirectory>;
let calls: CompilerRpc;

beforeEach(async () => {
  site = temporaryDirectory();
  // Plugins stay in the process, so the two of this file have names of their own.
  for (const name of ["first", "second"]) writeFiles(join(site.path, name), packageFiles(`listed-${name}`));
  calls = new CompilerRpc(newCompilation());
});
afterEach(() => site.remove());

const files = (packages: readonly string[], plugins: Record<string, object>): ReadFiles => ({
  sources: [
    { name: "gateway.yaml", text: configuration(packages, plugins), format: "yaml", folder: site.path },
  ],
  faults: [],
  environment: {},
});
const FIRST = { "listed-first": { value: "a" } };

it("a reload keeps the packages of the start, and is rejected if it adds or removes one", async () => {
  const start = files(["./first"], FIRST);
  const { packages, bundles } = await calls.begin(start);
  expect(bundles).toEqual([]);
  expect(packages[0]).toMatchObject({ plugin: "listed-first", version: "1.2.3", exports: [] });
  expect(calls.load(start, []).diagnostics).toEqual([]);

  const more = calls.reload(files(["./first", "./second"], FIRST));
  expect(more.delta).toBeUndefined();
  expect(more.diagnostics.map(({ code, span }) => [code, span?.start.line])).toEqual([["GW7011", 3]]);
  expect(more.report).toContain("restart the gateway");

  const fewer = calls.reload(files([], {}));
  expect(fewer.delta).toBeUndefined();
  expect(fewer.errorMessage).toBe('"./first" was named when the gateway started');

  const same = calls.reload(files(["./first"], { "listed-first": { value: "b" } }));
  expect(same.delta?.modules.put).toHaveLength(1);
});

it("a reload is rejected if the files of a package have changed since the start", async () => {
  const start = files(["./second"], {});
  await calls.begin(start);
  calls.load(start, []);
  writeFiles(join(site.path, "second"), { "index.js": "throw new Error('newer');" });
  const reloaded = calls.reload(start);
  expect(reloaded.delta).toBeUndefined();
  expect(reloaded.errorMessage).toBe('"./second" has changed since the gateway started');
  expect(reloaded.report).toContain("restart the gateway");
});

it("the hash of a package depends on its own files and not on its folder", () => {
  const first = join(site.path, "first");
  const copy = join(site.path, "copy");
  const hash = contentHash(first, "first");
  writeFiles(copy, packageFiles("listed-first"));
  writeFiles(copy, { "node_modules/x/index.js": "1", ".cache/y": "2" });
  expect(contentHash(copy, "copy")).toBe(hash);
  writeFiles(copy, { "more.txt": "a" });
  expect(contentHash(copy, "copy")).not.toBe(hash);
});
