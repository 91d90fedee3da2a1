import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesBelow, ROOT, read } from "../../architecture/sources.js";

describe("npm run docs", () => {
  const site = join(mkdtempSync(join(tmpdir(), "gwc-site-")), "site");
  beforeAll(() => {
    execFileSync(process.execPath, [join(ROOT, "docs/site/build.mjs"), site], { stdio: "pipe" });
  });
  afterAll(() => rmSync(dirname(site), { recursive: true, force: true }));

  it("the navigation of the site has every page of docs/ and of the plugins", () => {
    const navigation = JSON.parse(read("docs/site/navigation.json")) as Record<string, string[]>;
    const pages = [...filesBelow("docs", ".md"), ...filesBelow("plugins", "README.md")];
    const decided = pages.filter((page) => page.startsWith("docs/decisions/"));
    expect([...Object.values(navigation).flat(), ...decided].sort()).toEqual(
      [...pages, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].sort(),
    );
  });

  it("the links of every page of the site lead to existing pages, anchors and pictures", () => {
    const files = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".html"),
    );
    const text = new Map(files.map((file) => [file, readFileSync(join(site, file), "utf8")]));
    const broken = files.flatMap((file) =>
      Array.from(text.get(file)?.matchAll(/(?:href|src)="([^"]+)"/g) ?? [], (match) => match[1] ?? "")
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [path = "", fragment] = target.split("#");
          const place = path === "" ? file : normalize(join(dirname(file), path));
          if (!existsSync(join(site, place))) return true;
          return (
            fragment !== undefined && !text.get(place)?.includes(` id="${decodeURIComponent(fragment)}"`)
          );
        })
        .map((target) => `${file}: ${target}`),
    );
    expect(files.length).toBeGreaterThan(40);
    expect(broken).toEqual([]);
  });
});
