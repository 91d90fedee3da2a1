import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readSources } from "../../../compiler/1-parse/files.js";

const directory = mkdtempSync(join(tmpdir(), "gwc-files-"));
afterAll(() => rmSync(directory, { recursive: true }));
mkdirSync(join(directory, "conf.d", "below"), { recursive: true });
for (const name of ["b.yaml", "a.json", "c.yml", "readme.md", ".hidden.yaml", "below/d.yaml"])
  writeFileSync(join(directory, "conf.d", name), `# ${name}`);
writeFileSync(join(directory, "gateway.yaml"), "routes: []");

describe("readSources", () => {
  it("readSources reads files and the sorted configuration files of directories, not of subdirectories", () => {
    const { sources, diagnostics } = readSources(["gateway.yaml", "conf.d"], directory);
    expect(diagnostics).toEqual([]);
    expect(sources.map(({ name, format }) => `${name} ${format}`)).toEqual([
      "gateway.yaml yaml",
      "conf.d/a.json json",
      "conf.d/b.yaml yaml",
      "conf.d/c.yml yaml",
    ]);
  });

  it("readSources reads a file once if it is named twice", () => {
    const { sources } = readSources(["conf.d/b.yaml", "conf.d", "./conf.d/b.yaml"], directory);
    expect(sources.map(({ name }) => name)).toEqual(["conf.d/b.yaml", "conf.d/a.json", "conf.d/c.yml"]);
  });

  it("GW1031 reports a file that the system does not open, with the error code", () => {
    symlinkSync("loop.yaml", join(directory, "loop.yaml"));
    const { diagnostics } = readSources(["loop.yaml"], directory);
    expect(diagnostics.map(({ code }) => code)).toEqual(["GW1031"]);
    expect(diagnostics[0]?.message).toContain("ELOOP");
  });

  it("GW1031 reports a FIFO instead of waiting for it", () => {
    execFileSync("mkfifo", [join(directory, "pipe.yaml")]);
    const { diagnostics } = readSources(["pipe.yaml"], directory);
    expect(diagnostics[0]).toMatchObject({
      code: "GW1031",
      message: "pipe.yaml cannot be read: it is not a regular file",
    });
  });

  it("readSources reports a file that is too large without reading it", () => {
    writeFileSync(join(directory, "large.yaml"), "");
    truncateSync(join(directory, "large.yaml"), 3_000_000_000);
    const { diagnostics } = readSources(["large.yaml"], directory);
    expect(diagnostics[0]?.message).toBe(
      "large.yaml cannot be read: it has 3000000000 bytes; the limit is 128000000",
    );
  });

  it("readSources removes a byte order mark, which editors do not count as a column", () => {
    writeFileSync(join(directory, "mark.json"), "\ufeff{}");
    expect(readSources(["mark.json"], directory).sources[0]?.text).toBe("{}");
  });

  it("readSources preserves a replacement character of the file", () => {
    writeFileSync(join(directory, "real.yaml"), "a: \ufffd");
    expect(readSources(["real.yaml"], directory).sources[0]?.text).toBe("a: \ufffd");
  });
});
