import "../../../plugins/index.js";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { diagnostic } from "../../../compiler/diagnostics/report.js";
import { compile } from "../../../compiler/index.js";
import { withPluginChecks } from "../../../compiler/packages/checked-plugin.js";
import type { PlanContext, PluginDefinition } from "../../../compiler/plugin/definition.js";
import { registerPlugin } from "../../../compiler/plugin/registry.js";
import { temporaryDirectory } from "../../support/cli.js";
import { configuration, packageFiles, writeFiles } from "../../support/plugin-package.js";

interface Settings {
  user: string;
  password?: string;
  logins?: { token: string }[];
}

const SCHEMA = {
  type: "object",
  properties: {
    user: { type: "string" },
    password: { type: "string", "x-secret": true },
    logins: {
      type: "array",
      items: { type: "object", properties: { token: { type: "string", "x-secret": true } } },
    },
  },
  additionalProperties: false,
};

const site = temporaryDirectory();
beforeAll(() => {
  const files = { "schema.json": JSON.stringify(SCHEMA), "access.hbs": "x.request.headers;\n" };
  writeFiles(site.path, packageFiles("leaky", files));
});
afterAll(() => site.remove());

type Plan = (settings: Settings, context: PlanContext) => { step?: unknown; kept?: unknown };

let plugins = 0;
/** Errors of settings of a plugin with that plan, each with its line and column. */
function errors(plan: Plan, settings: Settings): unknown[] {
  const name = `leaky-${++plugins}`;
  const definition: PluginDefinition<Settings, unknown> = {
    name,
    priority: 1,
    moduleUrl: pathToFileURL(join(site.path, "index.js")).href,
    phases: ["access"],
    plan({ value }, context) {
      const { step = null, kept } = plan(value, context);
      if (kept !== undefined) context.resource(kept);
      return [{ phase: "access", origin: context.origin([]), data: step }];
    },
    view: () => ({}),
  };
  registerPlugin(withPluginChecks(definition as PluginDefinition, "./leaky"));
  const text = configuration([], { [name]: settings }).replace("plugins:\n", "");
  const sources = [{ name: "gateway.yaml", text, format: "yaml" as const }];
  const { diagnostics, plan: compiled } = compile({ sources, environment: {} });
  const found = diagnostics.filter(({ severity }) => severity === "error");
  expect(JSON.stringify(found)).not.toContain("hunter2");
  if (found.length > 0) expect(compiled).toBeUndefined();
  return found.map(({ code, message, span }) => {
    const line = text.split("\n")[(span?.start.line ?? 0) - 1] ?? "";
    return [
      code,
      message.replace(name, "leaky"),
      line.slice((span?.start.column ?? 0) - 1, span?.end.column),
    ];
  });
}

const leak = (data: string, field: string) =>
  `the plugin "leaky" of "./leaky" fails in plan: the data of ${data} contains the secret "${field}" in plain text; plan what context.secret returns`;

it.each<[string, Plan, string]>([
  ["a step", ({ password }) => ({ step: { password } }), "a step"],
  ["the resource", ({ password }) => ({ kept: { login: { password } } }), "a resource"],
  ["a text", ({ password }) => ({ kept: { header: `Bearer ${password}` } }), "a resource"],
  ["a name", ({ password = "" }) => ({ kept: { [password]: true } }), "a resource"],
])("GW7010 rejects a secret in plain text in %s, at its setting", (_, plan, data) => {
  const [error, ...others] = errors(plan, { user: "ann", password: "hunter2" });
  expect(error).toEqual(["GW7010", leak(data, "password"), expect.stringMatching(/^"hunter2"/)]);
  expect(others).toEqual([]);
});

it("GW7010 rejects a secret of a list, and one whose form the plugin requires", () => {
  const [inList] = errors(({ logins }) => ({ kept: { logins } }), {
    user: "ann",
    logins: [{ token: "${{TOKEN}}" }, { token: "hunter2" }],
  });
  expect(inList).toEqual(["GW7010", leak("a resource", "logins.1.token"), expect.anything()]);
  const throws: Plan = ({ password }) => {
    if (password !== "hunter2") throw new Error("not this form");
    return { kept: { password } };
  };
  expect(errors(throws, { user: "ann", password: "hunter2" })).toHaveLength(1);
  const reports: Plan = ({ password }, context) => {
    if (password === "hunter2") return { kept: { password } };
    context.report(diagnostic("GW4407", context.span));
    return {};
  };
  expect(errors(reports, { user: "ann", password: "hunter2" })).toHaveLength(1);
});

it("data with references of secrets, and with texts that only equal a secret, is accepted", () => {
  const sound: Plan = ({ user, password = "" }, context) => ({
    step: { call: "log" },
    kept: { user, ...context.secret(password, ["password"]) },
  });
  expect(errors(sound, { user: "ann", password: "hunter2" })).toEqual([]);
  expect(errors(sound, { user: "admin", password: "admin" })).toEqual([]);
  expect(errors(sound, { user: "ann", password: "log" })).toEqual([]);
  expect(
    errors(({ password }) => ({ kept: { password } }), { user: "ann", password: "${{PASSWORD}}" }),
  ).toEqual([]);
});
