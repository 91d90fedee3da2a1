import "../../../plugins/index.js";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { BACKENDS, type Backend, lines } from "../../../plugins/captcha/cli/commands.js";
import { WIDGET_ERRORS } from "../../../plugins/captcha/service/protocol.js";
import { EXECUTION_ERRORS } from "../../../plugins/captcha/widget/shared/messages.js";
import { filesBelow, ROOT, read } from "../../architecture/sources.js";
import { fencedBlocks } from "../../tools/plugin-docs.js";

const pages = filesBelow("docs/captcha", ".md");

interface Limits {
  definitions: { limits: { properties: Record<string, { default: number }> } };
}

describe("documentation of the captcha", () => {
  it("the YAML blocks of a captcha page compile together without a diagnostic", () => {
    for (const page of ["docs/captcha/README.md", "docs/captcha/nodes.md"]) {
      const blocks = fencedBlocks(read(page), "yaml");
      expect(blocks.length, page).toBeGreaterThan(0);
      const sources = blocks.map((text, index) => ({
        name: `${page}#${index}`,
        text,
        format: "yaml" as const,
      }));
      expect(compile({ sources, environment: {} }).diagnostics, page).toEqual([]);
    }
  });

  it("the page docs/captcha/backends.md contains the examples that tests run (UPDATE=1 writes them)", () => {
    const page = "docs/captcha/backends.md";
    const place = { url: "https://captcha.example.com", siteKey: "sk_shop_registration" };
    const fresh = read(page).replace(
      /(<!-- example (\w+) -->\n)[\s\S]*?(<!-- end of example -->)/g,
      (_, begin: string, name: Backend, end: string) =>
        `${begin}\n\`\`\`${name}\n${lines(BACKENDS[name].file, place)}\`\`\`\n\n${end}`,
    );
    expect(Object.keys(BACKENDS).filter((name) => !fresh.includes(`<!-- example ${name} -->`))).toEqual([]);
    if (process.env["UPDATE"] === "1") writeFileSync(join(ROOT, page), fresh);
    else expect(read(page)).toBe(fresh);
  });

  it("[V12] the page docs/captcha/frameworks.md contains pages that tests bundle and run (UPDATE=1 writes)", () => {
    const page = "docs/captcha/frameworks.md";
    const shown: string[] = [];
    const fresh = read(page).replace(
      /(<!-- example ([\w.]+) -->\n)[\s\S]*?(<!-- end of example -->)/g,
      (_, begin: string, file: string, end: string) => {
        shown.push(file);
        const [, text = ""] =
          /8<.*\n([\s\S]*?)^.*>8/m.exec(read(`plugins/captcha/widget/examples/${file}`)) ?? [];
        const filled = text
          .replace("{captcha_url}", "https://captcha.example.com")
          .replace("{site_key}", "sk_shop_registration");
        return `${begin}\n\`\`\`${file.split(".")[1]}\n${filled}\`\`\`\n\n${end}`;
      },
    );
    expect(shown.sort()).toEqual(readdirSync(join(ROOT, "plugins/captcha/widget/examples")).sort());
    if (process.env["UPDATE"] === "1") writeFileSync(join(ROOT, page), fresh);
    else expect(read(page)).toBe(fresh);
  });

  it("[H3] the page docs/captcha/errors.md lists each error code of the widget once", () => {
    const [part = ""] = read("docs/captcha/errors.md").split("## Of `execute`");
    const rows = [...part.matchAll(/^\| `(\w+)` *\| (?:yes|no) *\|/gm)];
    expect(rows.map(([, code]) => code)).toEqual([...WIDGET_ERRORS]);
  });

  it("[V3] the page docs/captcha/errors.md lists each further error code of execute once", () => {
    const part = /^## Of `execute`[\s\S]*?(?=^## )/m.exec(read("docs/captcha/errors.md"))?.[0] ?? "";
    const rows = [...part.matchAll(/^\| `(\w+)` *\|/gm)];
    expect(rows.map(([, code]) => code)).toEqual([...EXECUTION_ERRORS]);
  });

  it("the page docs/security.md lists every limit of the captcha service with its default", () => {
    const schema: Limits = JSON.parse(read("plugins/captcha/captcha.json"));
    const spelled = (name: string, value: number) =>
      name.endsWith("_bytes")
        ? `${value / 1_048_576} MiB`
        : `${value.toLocaleString("en")}${name === "network_share" ? " %" : ""}`;
    const limits = schema.definitions.limits.properties;
    const wanted = Object.entries(limits).map(([name, { default: value }]) => [name, spelled(name, value)]);
    const rows = [
      ...read("docs/security.md").matchAll(/^\| `captcha\.limits\.(\w+)`[^|]*\| ([\d,]+(?: MiB| %)?)/gm),
    ];
    expect(rows.map(([, name, value]) => [name, value]).sort()).toEqual(wanted.sort());
  });

  it.each(pages)("the links of %s lead to existing pages", (page) => {
    const links = [...read(page).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? "");
    const missing = links.filter(
      (target) => !/^https?:/.test(target) && !existsSync(join(ROOT, normalize(join(page, "..", target)))),
    );
    expect(missing).toEqual([]);
  });
});
