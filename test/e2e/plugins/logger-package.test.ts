// `gwc test-plugin` for loggers: examples/plugins/gelf-logger with a change.
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const EXAMPLE = fileURLToPath(new URL("../../../examples/plugins/gelf-logger", import.meta.url));
const site = useTemporaryDirectory();

/** Output of `gwc test-plugin` for the example with changed files. */
function tested(changes: Record<string, (text: string) => string>): string {
  cpSync(EXAMPLE, site.path, { recursive: true });
  for (const [file, change] of Object.entries(changes)) {
    const path = join(site.path, file);
    const before = readFileSync(path, "utf8");
    const after = change(before);
    expect(after).not.toBe(before);
    writeFileSync(path, after);
  }
  return gwc(site.path, ["test-plugin"]).stdout;
}

const withoutSetting = (name: string) => (text: string) => {
  const schema = JSON.parse(text) as { properties: Record<string, object> };
  const { [name]: _, ...properties } = schema.properties;
  return JSON.stringify({ ...schema, properties });
};

describe("declaration of a logger", () => {
  it.each(["access", "headerFilter", "acknowledge"])(
    "gwc test-plugin reports a logger without the phase %s, which only some settings need",
    (phase) => {
      const printed = tested({ "index.js": (text) => text.replace(`"${phase}", `, "") });
      expect(printed).toContain(
        `"phases" lacks "${phase}": a logger has access, headerFilter, acknowledge, log`,
      );
    },
  );

  it.each(["name", "spool", "redact"])(
    "gwc test-plugin reports a schema of a logger that lacks %s",
    (name) => {
      const printed = tested({ "schema.json": withoutSetting(name) });
      expect(printed).toContain(`schema.json lacks "${name}", which planLogger needs`);
    },
  );
});
