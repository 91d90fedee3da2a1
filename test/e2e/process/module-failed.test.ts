import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadableOf } from "../../../runtime/abi/loadable.js";
import { CLI } from "../../support/cli.js";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "./gateway.js";

const RESOURCES = `
routes:
  - id: broken
    uri: /broken
    upstream_id: u
    plugins:
      proxy-rewrite:
        headers:
          set:
            X-One: one
      response-rewrite:
        headers:
          set:
            X-Two: two
  - id: sound
    uri: /sound
    upstream_id: u
`;

const upstream = useUpstream();
let gateway: ProcessGateway;

beforeAll(async () => {
  const { nodes } = upstream;
  gateway = await ProcessGateway.prepare({ upstreams: [{ id: "u", nodes }] }, { workers: 1 });
  writeFileSync(join(gateway.directory, "shop.yaml"), RESOURCES);
  execFileSync(process.execPath, [CLI, "build", "gateway.json", "shop.yaml", "--out", "dist"], {
    cwd: gateway.directory,
    env: { ...process.env, GW_TEST_KEY: ProcessGateway.KEY },
  });
  breakModule("routes/broken.ts", (code) =>
    code.replace('"two"', `(() => { throw new Error("é".repeat(9000)); })()`),
  );
  await gateway.open({ paths: ["dist"] });
});
afterAll(async () => {
  await gateway.end();
});

/**
 * Changes a module of the build with all its digests, because no accepted configuration is known to fail at
 * run time.
 */
function breakModule(file: string, change: (code: string) => string): void {
  const dist = (name: string) => join(gateway.directory, "dist", name);
  const sum = (text: string) => createHash("sha256").update(text).digest("hex");
  const code = readFileSync(dist(file), "utf8");
  const broken = change(code);
  expect(broken).not.toBe(code);
  writeFileSync(dist(file), broken);
  const listed = readFileSync(dist("gateway.json"), "utf8").replace(
    sum(loadableOf(code)),
    sum(loadableOf(broken)),
  );
  const manifest = JSON.parse(readFileSync(dist("manifest.json"), "utf8")) as {
    files: Record<string, string>;
  };
  manifest.files[file] = sum(broken);
  manifest.files["gateway.json"] = sum(listed);
  writeFileSync(dist("gateway.json"), listed);
  writeFileSync(dist("manifest.json"), JSON.stringify(manifest));
}

it("a statement that throws gives 500 and is logged with file, line and plugin in at most 8 kB", async () => {
  expect((await gateway.get("/broken")).status).toBe(500);
  const line = await until(() => gateway.log("module_failed")[0]);
  expect(line).toMatchObject({ route: "broken", plugin: "response-rewrite" });
  expect(line).toMatchObject({
    at_config: `shop.yaml:${RESOURCES.split("\n").findIndex((text) => text.includes("X-Two")) + 1}:13`,
    config: "routes/broken plugins.response-rewrite.headers.set.X-Two",
  });
  expect(String(line["stack"]).split("\n").join(" ")).toMatch(
    /\(shop\.yaml:1\d:\d+ routes\/broken plugins\.response-rewrite\.headers\.set\.X-Two, routes\/broken\.js:\d+:\d+\)/,
  );
  const longest = Math.max(...gateway.errors.split("\n").map((text) => Buffer.byteLength(text)));
  expect(longest).toBeLessThanOrEqual(8_192);
  expect((await gateway.get("/sound")).text).toBe("ok");
});
