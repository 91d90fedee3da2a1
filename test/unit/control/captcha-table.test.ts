// Captcha table in everything that carries a generation.
import "../../../plugins/index.js";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeBuild } from "../../../compiler/7-build/write.js";
import { deltaBetween } from "../../../compiler/compilation/delta.js";
import { compile } from "../../../compiler/index.js";
import type { Change } from "../../../compiler/model/input.js";
import type { Kind } from "../../../compiler/model/resource.js";
import { type CaptchaTable, NO_CAPTCHA } from "../../../plugins/captcha/captcha-table.js";
import { deltaTo } from "../../../runtime/abi/delta.js";
import type { Artifact, Delta } from "../../../runtime/abi/generation.js";
import type { PluginTable } from "../../../runtime/abi/plugin-tables.js";
import { isEmpty, mergeArtifacts } from "../../../runtime/control/delta.js";
import { GenerationStore } from "../../../runtime/control/generation-store.js";
import { builtNames, ResourceCatalog } from "../../../runtime/control/resource-catalog.js";
import { GenerationContent } from "../../../runtime/process/generation-log.js";
import { readBuild } from "../../../runtime/proxy/host/build-reader.js";
import { newCompilation } from "../../support/compilation.js";

const KEY = `spk_aaaaaaa1_${"k".repeat(43)}_01ab23`;
const tableOf = (...customers: string[]): CaptchaTable => ({
  ...NO_CAPTCHA,
  customers: customers.map((id) => ({ id, enabled: true })),
});
const artifact = (captcha?: CaptchaTable): Artifact => ({
  ...{ abi: 1, planHash: JSON.stringify(captcha ?? null), routes: [], upstreams: [] },
  ...{ globalRules: [], pluginMetadata: [], modules: [] },
  ...(captcha && { tables: { captcha } }),
});
const nothing = { put: [], remove: [] };
const delta = (captcha?: CaptchaTable): Delta => ({
  ...{ abi: 1, planHash: "next", routes: nothing, upstreams: nothing, modules: nothing },
  ...(captcha && { tables: { captcha } }),
});

const apiKeysIn = (content: Artifact | Delta | undefined) =>
  (content?.tables?.["captcha"] as CaptchaTable | undefined)?.apiKeys ?? [];

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-captcha-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("the captcha table", () => {
  it("the captcha table is saved with its generation, survives other changes, and disappears when empty", async () => {
    const saved = new GenerationStore(directory);
    const restored = () => new GenerationStore(directory).restore()?.tables?.["captcha"];
    const commit = (number: number, change: Delta) => {
      saved.append(number, change);
      saved.commit(number, change);
    };
    await saved.begin(GenerationContent.of(1, artifact(tableOf("shop"))));
    expect(restored()).toEqual(tableOf("shop"));
    commit(2, delta());
    expect(restored()).toEqual(tableOf("shop"));
    commit(3, delta(tableOf("shop", "blog")));
    expect(restored()).toEqual(tableOf("shop", "blog"));
    expect(saved.content.artifact().tables).toEqual({ captcha: tableOf("shop", "blog") });
    await saved.begin(saved.content);
    expect(restored()).toEqual(tableOf("shop", "blog"));
    commit(4, delta(NO_CAPTCHA));
    expect(restored()).toBeUndefined();
    expect(saved.content.artifact()).not.toHaveProperty("tables");
    saved.close();
  });

  it.each<[string, CaptchaTable | undefined, CaptchaTable | undefined, PluginTable | undefined]>([
    ["appears", undefined, tableOf("a"), tableOf("a")],
    ["changes", tableOf("a"), tableOf("b"), tableOf("b")],
    ["goes", tableOf("a"), undefined, {}],
    ["stays", tableOf("a"), tableOf("a"), undefined],
    ["is not there", undefined, undefined, undefined],
  ])("the delta between two artifacts is right when the captcha table %s", (_, before, after, told) => {
    const fromSaved = deltaTo(GenerationContent.of(1, artifact(before)), artifact(after));
    expect(fromSaved.tables?.["captcha"]).toEqual(told);
    expect(isEmpty(fromSaved)).toBe(told === undefined);
    expect(deltaBetween(artifact(before), artifact(after)).tables?.["captcha"]).toEqual(told);
  });

  it("the captcha table of a build is merged with that of the store, and only its resources are built ones", () => {
    const joined = mergeArtifacts(artifact(tableOf("built")), artifact(tableOf("stored")));
    expect(joined.tables?.["captcha"]).toEqual(tableOf("built", "stored"));
    expect(mergeArtifacts(artifact(), artifact())).not.toHaveProperty("tables");
    const resources = new ResourceCatalog([]);
    resources.setBuilt(builtNames(artifact(tableOf("built"))));
    expect(resources.isBuilt("captcha_customers", "built")).toBe(true);
    expect(resources.isBuilt("captcha_customers", "stored")).toBe(false);
  });
});

describe("a build", () => {
  const text = (key: string) => `captcha: { url: "https://captcha.example.com" }
captcha_customers: [{ id: shop }]
captcha_api_keys: [{ id: aaaaaaa1, customer: shop, key: "${key}" }]
`;
  const built = (key: string) => {
    const sources = [{ name: "gateway.yaml", text: text(key), format: "yaml" as const }];
    const result = compile({ sources, environment: { API_KEY: KEY } });
    if (!result.artifact || !result.plan) throw new Error(JSON.stringify(result.diagnostics));
    return { ...result, artifact: result.artifact, plan: result.plan };
  };

  it("a build contains the captcha table, with the names of environment variables instead of keys", () => {
    const target = join(directory, "dist");
    const content = built("${{API_KEY}}");
    expect(writeBuild(target, content).diagnostics).toEqual([]);
    expect(readBuild(target).artifact).toEqual(JSON.parse(JSON.stringify(content.artifact)));
    expect(apiKeysIn(readBuild(target).artifact)[0]?.secret).toBe("${{API_KEY}}");
    for (const file of readdirSync(target))
      expect(readFileSync(join(target, file), "utf8")).not.toContain(KEY);
  });

  it("a build is rejected if a file contains a plain-text key of the captcha", () => {
    const [found, ...others] = writeBuild(join(directory, "dist"), built(KEY)).diagnostics;
    expect(found).toMatchObject({
      ...{ code: "GW6109", message: expect.stringContaining("captcha_api_keys.aaaaaaa1.key") },
      span: { file: "gateway.yaml", start: { line: 3 } },
    });
    expect(others).toEqual([]);
  });
});

describe("a write", () => {
  const put = (kind: Kind, id: string, value: object): Change => ({
    put: { kind, id, text: JSON.stringify(value) },
  });

  it("a write returns the captcha table once, if it changed, and a rollback discards it", () => {
    const compilation = newCompilation({ secretKey: "of the installation" });
    compilation.load({ sources: [], environment: {} });
    const first = compilation.write([put("captcha_customers", "shop", {})]);
    expect(first.delta?.tables?.["captcha"]).toEqual(tableOf("shop"));
    first.rollback();
    const again = compilation.write([put("captcha_customers", "blog", {})]);
    expect(again.delta?.tables?.["captcha"]).toEqual(tableOf("blog"));
    again.commit();
    const other = compilation.write([put("upstreams", "u", { nodes: { "a:80": 1 } })]);
    expect(other.delta).not.toHaveProperty("tables");
    other.commit();
    const same = compilation.write([put("captcha_customers", "blog", { desc: "again" })]);
    expect(same.delta).not.toHaveProperty("tables");
    same.commit();
    const gone = compilation.write([{ remove: { kind: "captcha_customers", id: "blog" } }]);
    expect(gone.delta?.tables).toEqual({ captcha: {} });
    gone.commit();
  });

  it("a write returns the text of an API key as a secret, outside of the captcha table", () => {
    const compilation = newCompilation({ secretKey: "of the installation" });
    compilation.load({ sources: [], environment: {} });
    const { delta: change, secrets } = compilation.write([
      put("captcha_customers", "shop", {}),
      put("captcha_api_keys", "aaaaaaa1", { customer: "shop", key: KEY }),
    ]);
    const reference = apiKeysIn(change)[0]?.secret ?? "";
    expect([...secrets]).toEqual([[reference, KEY]]);
    expect(JSON.stringify(change)).not.toContain(KEY);
  });
});
