import "../../../plugins/index.js";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type BuildContent, writeBuild } from "../../../compiler/7-build/write.js";
import { compile } from "../../../compiler/index.js";
import type { BuildError } from "../../../runtime/proxy/host/build-error.js";
import { readBuild, readBuildDeployment } from "../../../runtime/proxy/host/build-reader.js";
import { useTemporaryDirectory } from "../../support/cli.js";
import { writeSigningKeys } from "../../support/signing-keys.js";

const directory = useTemporaryDirectory();
const at = (...names: string[]) => join(directory.path, ...names);

function content(value: string): BuildContent {
  const text = `
routes:
  - id: shop
    uri: /shop/*
    upstream: { nodes: { "10.0.0.1:80": 1 } }
    plugins: { proxy-rewrite: { headers: { set: { X-A: "${value}" } } } }
`;
  const result = compile({ sources: [{ name: "gateway.yaml", text, format: "yaml" }], environment: {} });
  const { artifact, plan } = result;
  if (!artifact || !plan) throw new Error(JSON.stringify(result.diagnostics));
  return { ...result, artifact, plan };
}

function refusal(read: () => unknown): string {
  try {
    read();
    return "none";
  } catch (error) {
    const { code, message } = error as BuildError;
    expect(message).toContain(at("dist"));
    return code;
  }
}

/** Replace a file of the build by one that cannot be read to its end. */
const ODD: Record<string, (path: string) => void> = {
  "a FIFO": (path) => execFileSync("mkfifo", [path]),
  "a link to /dev/zero": (path) => symlinkSync("/dev/zero", path),
  "a file of 4 TB": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 2 ** 42);
  },
};
const odd = Object.entries(ODD);

beforeEach(() => {
  writeBuild(at("dist"), content("1"));
  writeSigningKeys(directory.path, "ours");
});

describe.each(odd)("a build with %s", (_, make) => {
  const replace = (file: string) => {
    rmSync(at(file), { force: true });
    make(at(file));
  };

  it.each(["manifest.json", "gateway.json", "routes/shop.ts", "resources.json"])(
    "GW6118 reports a build whose %s is an unreadable file",
    (file) => {
      replace(`dist/${file}`);
      expect(refusal(() => readBuild(at("dist")))).toBe("GW6118");
    },
  );

  it("GW6118 reports an unreadable manifest.sig before the manifest is parsed", () => {
    replace("dist/manifest.sig");
    writeFileSync(at("dist/manifest.json"), "{");
    expect(refusal(() => readBuild(at("dist"), [at("ours.pub")]))).toBe("GW6118");
    expect(refusal(() => readBuildDeployment(at("dist"), [at("ours.pub")]))).toBe("GW6118");
  });

  it("GW6113 reports an unreadable verification key", () => {
    replace("ours.pub");
    expect(refusal(() => readBuild(at("dist"), [at("ours.pub")]))).toBe("GW6113");
  });

  it("a build whose locations.json is unreadable has resources without locations", () => {
    replace("dist/locations.json");
    expect(readBuild(at("dist")).resources.map(({ place }) => place)).toEqual([""]);
  });

  it("the next build replaces unreadable files", () => {
    for (const file of ["routes/shop.ts", "locations.json", "manifest.sig"]) replace(`dist/${file}`);
    expect(writeBuild(at("dist"), content("2")).diagnostics).toEqual([]);
    expect(refusal(() => readBuild(at("dist")))).toBe("none");
    expect(existsSync(at("dist/manifest.sig"))).toBe(false);
  });

  it("GW6101 protects a directory with an unreadable manifest.json from the next build", () => {
    replace("dist/manifest.json");
    expect(writeBuild(at("dist"), content("2")).diagnostics.map(({ code }) => code)).toEqual(["GW6101"]);
  });
});

describe("a manifest that names files outside of its build", () => {
  const list = (change: (manifest: { files: object; maps: object; plugins?: object[] }) => void) => {
    const manifest = JSON.parse(readFileSync(at("dist/manifest.json"), "utf8"));
    change(manifest);
    writeFileSync(at("dist/manifest.json"), JSON.stringify(manifest));
  };

  it.each(["../victim", "/etc/passwd", "routes/../../victim", ".git/config"])(
    "GW6117 reports a manifest whose file or source map is %s",
    (name) => {
      list(({ files }) => Object.assign(files, { [name]: "0".repeat(64) }));
      expect(refusal(() => readBuild(at("dist")))).toBe("GW6117");
      writeBuild(at("dist"), content("1"));
      list(({ maps }) => Object.assign(maps, { [name]: "0".repeat(64) }));
      expect(refusal(() => readBuild(at("dist")))).toBe("GW6117");
    },
  );

  it("GW6117 reports a manifest with a plugin name that leads outside of the build", () => {
    list((manifest) => {
      manifest.plugins = [{ name: "../../victim", version: "1", abi: [1, 1], hash: "", exports: [] }];
    });
    expect(refusal(() => readBuild(at("dist")))).toBe("GW6117");
  });
});
