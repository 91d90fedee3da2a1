import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { newPackage } from "../../../cli/new-package.js";
import { VERSION } from "../../../runtime/abi/version.js";
import { useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();

/** Output of `gwc new plugin` in a project with this dependency on gwc. */
async function said(
  gwc?: string,
  folder = `project-${gwc === undefined ? "without" : "with"}`,
): Promise<string> {
  const project = join(directory.path, folder);
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ dependencies: gwc && { gwc } }));
  let text = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((more) => {
    text += String(more);
    return true;
  });
  await newPackage("tier", join(project, "gwc-plugin-tier"));
  write.mockRestore();
  return text;
}

describe("a package of gwc new plugin", () => {
  it("a new plugin in a project with gwc as a file is installed by npm install alone", async () => {
    expect(await said("file:../gwc-0.2.0.tgz")).toMatch(/^next: cd \S+ && npm install && npm test$/m);
  });

  it("the commands after gwc new plugin quote a folder with a blank for the shell", async () => {
    expect(await said("file:../gwc-0.2.0.tgz", "my projects")).toMatch(
      /^next: cd '[^']*my projects\/gwc-plugin-tier' && npm install/m,
    );
  });

  it("a new plugin elsewhere is installed with the release file, because no registry has gwc", async () => {
    expect(await said()).toContain(`npm install --save-dev PATH/gwc-${VERSION}.tgz && npm test`);
  });
});
