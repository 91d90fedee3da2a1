// `gwc test-plugin` for loggers: examples/plugins/gelf-logger with a change.
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { LOGGER_PHASES } from "../../../compiler/log/define-logger.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const EXAMPLE = fileURLToPath(new URL("../../../examples/plugins/gelf-logger", import.meta.url));
const site = useTemporaryDirectory();

/** Output of `gwc test-plugin` for the example with changed files. */
function tested(changes: Record<string, (text: string) => string>): string {
  cpSync(EXAMPLE, site.path, { recursive: true });
  for (const [file, change] of Object.entries(changes)) {
    const path = join(site.path, file);
    const before = existsSync(path) ? readFileSync(path, "utf8") : "";
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

const shipping = (settings: string, expected: string) => () =>
  `because: it ships a record
configuration:
  routes:
    - { id: shop, uri: /*, upstream_id: main, plugins: { gelf-logger: { host: 127.0.0.1, port: 9, ${settings} } } }
exchanges:
  - request: { target: /a }
    expect: { response: { status: 200 }, log: ${expected} }
  - request: { target: /b }
    expect: { log: [{ plugin: gelf-logger, holds: { request: { uri: /b } } }] }
`;

describe("declaration of a logger", () => {
  it.each(["access", "headerFilter", "acknowledge"])(
    "gwc test-plugin reports a logger without the phase %s, which only some settings need",
    (phase) => {
      const left = LOGGER_PHASES.filter((each) => each !== phase);
      const printed = tested({
        "index.js": (text) => text.replace(/\}\);\n$/, `phases: ${JSON.stringify(left)},\n});\n`),
      });
      expect(printed).toContain(
        `"phases" lacks "${phase}": a logger has access, headerFilter, acknowledge, log`,
      );
    },
  );

  it.each(["name", "spool", "redact"])(
    "gwc test-plugin reports a schema of a logger that lacks %s",
    (name) => {
      const printed = tested({ "schema.json": withoutSetting(name) });
      expect(printed).toContain(`schema.json lacks "${name}", which every logger needs`);
    },
  );
});

it("a template of a logger's package replaces that of gwc", () => {
  const printed = tested({ "log.hbs": () => "{{expr logger}}.{{ident cal}}(x);\n" });
  expect(printed).toContain('log.hbs:1: the view has no field "cal"; did you mean "call"?');
  const packed = (text: string) => text.replace('"schema.json"', '"schema.json", "*.hbs"');
  expect(tested({ "log.hbs": () => "{{> logger}}\n", "package.json": packed })).toMatch(/passes\n$/);
});

describe("settings of a logger that are a map", () => {
  const withLabels = {
    "schema.json": (text: string) => {
      const schema = JSON.parse(text) as { properties: Record<string, object> };
      const labels = {
        description: "Labels of each record.",
        type: "object",
        default: { job: "gwc" },
        maxProperties: 2,
        propertyNames: { type: "string", pattern: "^[a-z]+$", "x-pattern-description": "lower-case letters" },
        additionalProperties: { description: "Value of the label.", type: "string" },
      };
      return JSON.stringify({ ...schema, properties: { ...schema.properties, labels } });
    },
    "index.js": (text: string) =>
      text
        .replace("{ host, port, timeout, source }", "{ host, port, timeout, source, labels }")
        .replace("timeoutMs: timeout,", "timeoutMs: timeout, labels,"),
    "runtime/defaults.js": (text: string) =>
      text.replace("destination: {", 'destination: { labels: { job: "gwc" },'),
  };

  it("gwc test-plugin reports a map in the defaults that the settings do not complete", () => {
    const printed = tested({
      ...withLabels,
      "cases/ships-a-record.yaml": shipping("labels: { app: shop }", "[]"),
    });
    expect(printed).toContain(
      "fails in plan: Error: the defaults have destination.labels.job, which the settings lack",
    );
  });

  it("gwc test-plugin names the form of a map's names, and how many it may have", () => {
    const printed = tested({
      ...withLabels,
      "cases/a.yaml": shipping("labels: { app-name: shop }", "[]"),
      "cases/b.yaml": shipping('labels: { a: "1", b: "1", c: "1" }', "[]"),
    });
    expect(printed).toContain('GW2106: "labels" must be lower-case letters, not "app-name"');
    expect(printed).toContain('GW2110: "labels" must have at most 2 fields');
  });
});

describe("cases of a logger", () => {
  it.each([
    ["in memory", ""],
    ["on disk", "delivery: durable"],
    ["on disk, with responses that wait for it", "delivery: durable, ack: response"],
  ])("gwc test-plugin compares the records of a logger that queues them %s", (_, settings) => {
    const wanted =
      "[{ plugin: gelf-logger, holds: { route_id: shop, request: { uri: /a } }, lacks: [_route_id] }]";
    const printed = tested({ "cases/ships-a-record.yaml": shipping(settings, wanted) });
    expect(printed).toContain("ok   cases: 3 cases, 3 exchanges");
    expect(printed).toMatch(/passes\n$/);
  });

  it("gwc test-plugin reports a record that differs at its line, and a missing one", () => {
    const wanted = "[{ plugin: gelf-logger, holds: { request: { uri: /other } } }]";
    expect(tested({ "cases/ships-a-record.yaml": shipping("", wanted) })).toContain(
      'cases/ships-a-record.yaml:7: request.uri of gelf-logger: got "/a", expected "/other"',
    );
    expect(tested({ "cases/ships-a-record.yaml": shipping("", "[]") })).toContain(
      'cases/ships-a-record.yaml:7: loggers that shipped a record: got ["gelf-logger"], expected []',
    );
    expect(tested({ "cases/ships-a-record.yaml": shipping("", "[{ plugni: gelf-logger }]") })).toContain(
      'cases/ships-a-record.yaml:7: GW2101: unknown field "plugni" in item 1 of "log"; did you mean "plugin"?',
    );
  });
});
