import "../../../plugins/index.js";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkAssets } from "../../../compiler/packages/assets.js";
import { locate } from "../../../compiler/packages/locate.js";
import { PackageError } from "../../../compiler/packages/package-error.js";
import type { PackagedPlugin } from "../../../compiler/plugin/package.js";
import { temporaryDirectory } from "../../support/cli.js";
import { packageFiles, writeFiles } from "../../support/plugin-package.js";

const PLUGIN = { phases: ["headerFilter"] } as unknown as PackagedPlugin;

describe("package with a FIFO instead of a file", () => {
  it.each(["package.json", "schema.json", "headerFilter.hbs"])(
    "a FIFO as %s of a package is an error, and nothing waits for it",
    (file) => {
      const { path: root, remove } = temporaryDirectory();
      onTestFinished(remove);
      writeFiles(root, packageFiles("hello"));
      rmSync(join(root, file));
      execFileSync("mkfifo", [join(root, file)]);
      const load = () => {
        locate({ name: "./", folder: root });
        checkAssets(root, "hello", PLUGIN);
      };
      expect(load).toThrow(PackageError);
    },
  );
});
