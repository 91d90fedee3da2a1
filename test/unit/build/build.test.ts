import "../../../plugins/index.js";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BuildContent, type BuildResult, writeBuild } from "../../../compiler/7-build/write.js";
import { compile } from "../../../compiler/index.js";
import { renderText } from "../../../compiler/report/text.js";
import { masksOf } from "../../../compiler/secrets/secret-spans.js";
import type { BuildError } from "../../../runtime/proxy/host/build-error.js";
import { readBuild } from "../../../runtime/proxy/host/build-reader.js";

const SOURCE = `
gw: { node_listen: 9080 }
deployment:
  admin:
    admin_key:
      - { name: ci, key: "\${{CI_KEY}}" }
      - { name: old, key: s3cret-in-a-file }
upstreams:
  - { id: orders, nodes: { "\${{ORDERS}}:80": 1 } }
global_rules:
  - { id: 1, plugins: { response-rewrite: { headers: { set: { X-Gw: "1" } } } } }
plugin_metadata:
  - { id: syslog, log_format: { host: $host } }
routes:
  - { id: plain, uri: /plain, upstream_id: orders }
  - id: shop
    uri: /shop/*
    upstream_id: orders
    plugins: { proxy-rewrite: { headers: { set: { X-Stage: "\${{STAGE}}" } } } }
`;

function content(text = SOURCE): BuildContent {
  const sources = [{ name: "gateway.yaml", text, format: "yaml" as const }];
  const result = compile({ sources, environment: { STAGE: "test", CI_KEY: "k-e-y", ORDERS: "10.9.8.7" } });
  const { artifact, plan } = result;
  if (!artifact || !plan) throw new Error(JSON.stringify(result.diagnostics));
  return { ...result, artifact, plan };
}

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-dist-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));
const dist = () => join(directory, "dist");
const codes = ({ diagnostics }: BuildResult) => diagnostics.map(({ code }) => code);

function refusal(): string {
  try {
    readBuild(dist());
    return "none";
  } catch (error) {
    return (error as BuildError).code;
  }
}

describe("a build on disk", () => {
  it("GW6102 reports that no build directory can be created", () => {
    const path = existsSync("/proc/self") ? "/proc/gwc-dist" : join(directory, "a-file", "dist");
    writeFileSync(join(directory, "a-file"), "");
    expect(codes(writeBuild(path, content()))).toEqual(["GW6102"]);
  });

  it("writeBuild creates the parent directories of a build", () => {
    writeBuild(join(dist(), "a", "b"), content());
    expect(existsSync(join(dist(), "a", "b", "manifest.json"))).toBe(true);
  });

  it("a build has each module with its source map, resources, locations, gateway and manifest", () => {
    writeBuild(dist(), content());
    const files = readdirSync(dist(), { recursive: true, encoding: "utf8" }).sort();
    expect(files).toEqual([
      "gateway.json",
      "global_rules",
      "global_rules/1.js.map",
      "global_rules/1.ts",
      "locations.json",
      "manifest.json",
      "plugin_metadata",
      "plugin_metadata/syslog.js.map",
      "plugin_metadata/syslog.ts",
      "resources.json",
      "routes",
      "routes/shop.js.map",
      "routes/shop.ts",
    ]);
  });

  it("readBuild returns the artifact that was compiled", () => {
    const built = content();
    writeBuild(dist(), built);
    expect(readBuild(dist()).artifact).toEqual(JSON.parse(JSON.stringify(built.artifact)));
    expect(built.artifact.pluginMetadata).toEqual([{ plugin: "syslog", moduleId: "plugin_metadata:syslog" }]);
  });

  it("the manifest names the variables whose values are compiled in; others stay symbolic", () => {
    writeBuild(dist(), content());
    const manifest = JSON.parse(readFileSync(join(dist(), "manifest.json"), "utf8"));
    expect(manifest.environment).toEqual(["STAGE"]);
    expect(readFileSync(join(dist(), "gateway.json"), "utf8")).toContain("${{ORDERS}}");
  });

  it("a build has no secrets: references stay symbolic, a plain-text key is left out with a warning", () => {
    expect(codes(writeBuild(dist(), content()))).toEqual(["GW6108"]);
    expect(readBuild(dist()).deployment).toEqual({
      gw: { node_listen: 9080 },
      deployment: { admin: { admin_key: [{ name: "ci", key: "${{CI_KEY}}" }] } },
    });
    for (const file of readdirSync(dist(), { recursive: true, withFileTypes: true }))
      if (file.isFile())
        expect(readFileSync(join(file.parentPath, file.name), "utf8")).not.toMatch(
          /s3cret|k-e-y|10\.9\.8\.7/,
        );
  });

  it("the warning about a plain-text secret masks the secret", () => {
    const sources = [{ name: "gateway.yaml", text: SOURCE, format: "yaml" as const }];
    const { diagnostics: findings } = writeBuild(dist(), content());
    const shown = renderText(findings, { sources, masks: masksOf(sources, findings, { STAGE: "test" }) });
    expect(shown).toContain("{ name: old, key: ****************");
  });

  it("writeBuild replaces an earlier build and removes files of routes that no longer exist", () => {
    writeBuild(dist(), content());
    writeBuild(dist(), content(SOURCE.replace("id: shop", "id: store")));
    expect(existsSync(join(dist(), "routes/store.ts"))).toBe(true);
    expect(existsSync(join(dist(), "routes/shop.ts"))).toBe(false);
    expect(readdirSync(directory)).toEqual(["dist"]);
  });

  it("GW6101 protects a directory with other content", () => {
    mkdirSync(dist());
    writeFileSync(join(dist(), "thesis.txt"), "years of work");
    expect(codes(writeBuild(dist(), content()))).toEqual(["GW6101"]);
    expect(readdirSync(dist())).toEqual(["thesis.txt"]);
  });

  it("writeBuild replaces the directory behind a symbolic link and preserves the link", () => {
    writeBuild(dist(), content());
    symlinkSync("dist", join(directory, "current"));
    writeBuild(join(directory, "current"), content(SOURCE.replace("id: shop", "id: store")));
    expect(readlinkSync(join(directory, "current"))).toBe("dist");
    expect(existsSync(join(dist(), "routes/store.ts"))).toBe(true);
  });

  it("writeBuild writes into an empty directory", () => {
    mkdirSync(dist());
    expect(codes(writeBuild(dist(), content()))).toEqual(["GW6108"]);
    expect(refusal()).toBe("none");
  });

  it("GW6102 reports a path that cannot be written, and no file is left behind", () => {
    writeFileSync(join(directory, "file"), "");
    expect(codes(writeBuild(join(directory, "file/dist"), content()))).toEqual(["GW6102"]);
    expect(readdirSync(directory)).toEqual(["file"]);
  });
});

describe("reading a build", () => {
  it("GW6103 reports a directory without a manifest or with an empty one", () => {
    mkdirSync(dist());
    expect(refusal()).toBe("GW6103");
    writeFileSync(join(dist(), "manifest.json"), "{}");
    expect(refusal()).toBe("GW6103");
  });

  it.each([
    ["manifest.json", '{"generator":"gwc","abi":1,"files":null}'],
    ["gateway.json", "null"],
    ["gateway.json", '{"routes":5}'],
    ["gateway.json", "{"],
  ])("GW6103 reports a build whose %s contains %s", (file, text) => {
    writeBuild(dist(), content());
    writeFileSync(join(dist(), file), text);
    const path = join(dist(), "manifest.json");
    if (file !== "manifest.json") {
      const manifest = JSON.parse(readFileSync(path, "utf8"));
      manifest.files[file] = createHash("sha256").update(text).digest("hex");
      writeFileSync(path, JSON.stringify(manifest));
    }
    expect(refusal()).toBe("GW6103");
  });

  it.each([
    ["of another ABI", /"abi": [0-9]+/, '"abi": 999', "has ABI 999, this gwc needs ABI 3"],
    ["of another format", /"format": [0-9]+/, '"format": 999', "has format 999, this gwc needs format 2"],
    ["of an earlier gwc", /"format": [0-9]+,\n/, "", "has format none, this gwc needs format 2"],
  ])("GW6104 reports a build %s", (_, written, other, message) => {
    writeBuild(dist(), content());
    const path = join(dist(), "manifest.json");
    writeFileSync(path, readFileSync(path, "utf8").replace(written, other));
    expect(refusal()).toBe("GW6104");
    expect(() => readBuild(dist())).toThrow(`${message}: build again with this gwc`);
  });

  it.each(["routes/shop.ts", "gateway.json", "resources.json"])(
    "GW6105 reports a modified %s in a build",
    (file) => {
      writeBuild(dist(), content());
      writeFileSync(join(dist(), file), `${readFileSync(join(dist(), file), "utf8")} `);
      expect(refusal()).toBe("GW6105");
    },
  );

  it("GW6106 reports a missing file of a build", () => {
    writeBuild(dist(), content());
    rmSync(join(dist(), "routes/shop.ts"));
    expect(refusal()).toBe("GW6106");
  });

  it("GW6107 reports a file that is not in the manifest", () => {
    writeBuild(dist(), content());
    writeFileSync(join(dist(), "routes/extra.ts"), "");
    expect(refusal()).toBe("GW6107");
  });
});
