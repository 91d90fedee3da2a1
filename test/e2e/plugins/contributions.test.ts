// Contributions of a package beside its steps: diagnostics, variables and metrics; and those that are
// rejected.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Gateway, startGateway } from "../../../runtime/control/embed.js";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";
import { definition, packageFiles, writeFiles } from "../../support/plugin-package.js";

const site = useTemporaryDirectory();
let gateway: Gateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

const FINDINGS = `diagnostics: {
    "TIER-001": {
      severity: "error", summary: "a tier that nobody has", message: 'there is no tier "{tier}"',
      help: "write gold", explain: "Tiers are what users pay for.",
    },
  },`;
const VARIABLES = `variables: [
    { name: "tier", type: "text", from: "request", description: "Tier of the user." },
    { name: "tier_level", type: "number", from: "request", description: "The same as a number." },
  ],`;
/** A plugin whose variables read a header, and whose resource counts. */
const RUNTIME = `const levels = new Map([["gold", 3], ["wood", 1]]);
const tierOf = (x) => x.request.headers.get("x-tier");
export function tiers(key) {
  let counter;
  return {
    resource: {
      kind: "tier", key,
      open: ({ metrics }) => ({ counter: metrics.counter("METRIC", "Requests that asked for a tier.", {}), drain() {} }),
      use(opened) { counter = opened.counter; },
    },
    count() { counter.add(1); },
  };
}
export const runtime = { exports: { tiers }, variables: {
  tier: tierOf,
  tier_level: (x) => { if (tierOf(x) === "boom") throw new Error("boom"); return levels.get(tierOf(x)); },
} };
`;
const TYPES = `import type { PluginRuntime, Resource } from "gwc/plugin";
export interface Tiers { readonly resource: Resource; count(): void }
export function tiers(key: string): Tiers;
export const runtime: PluginRuntime;
`;
const MEANING = `exports: { tiers: ["resource", "count"] }, runtime: "runtime/index.js", phases: ["rewrite"], resourceConstant: "kept",
  plan({ value, spans }, context) {
    if (value.value === "lead")
      context.report(diagnostic("TIER-001", spans.value(["value"]), { tier: value.value }));
    context.resource("one");
    return [{ phase: "rewrite", origin: context.origin([]), data: null }];
  },
  describe: () => ["counts"],
  resource: (key, printer) => printer.code\`\${printer.imported("tiers")}(\${printer.literal(key)})\`,
  view: (_, printer) => ({ kept: printer.resource() }),`;

function install(fields = "", change: Record<string, string> = {}): void {
  const meaning = definition("tier", MEANING + FINDINGS + VARIABLES + fields);
  const files = packageFiles("tier", {
    "index.js": meaning.replace("{ definePlugin,", "{ definePlugin, diagnostic,"),
    "rewrite.hbs": "{{expr kept}}.count();\n",
    "runtime/index.js": RUNTIME.replace("METRIC", "gw_tier_requests_total"),
    "runtime/index.d.ts": TYPES,
    ...change,
  });
  writeFiles(join(site.path, "node_modules/gwc-plugin-tier"), files);
}

function configure(value: string): void {
  const text = `plugins: [gwc-plugin-tier]
routes:
  - id: gold
    uri: /*
    vars: [[tier_level, ">", 2]]
    priority: 1
    plugins:
      tier: { value: ${value} }
      response-rewrite: { body: "gold", headers: { set: { X-Seen: "$tier $tier_level" } } }
  - id: other
    uri: /*
    plugins:
      response-rewrite: { body: "other", headers: { set: { X-Seen: "$tier/$tier_level" } } }
`;
  writeFileSync(join(site.path, "gateway.yaml"), text);
}

const inPackage = (file: string) => `node_modules/gwc-plugin-tier/${file}`;

/** Renames a word in a file, in both cases, except in the name of the package. */
function rename(file: string, from: string, to: string): void {
  const path = join(site.path, file);
  const changed = readFileSync(path, "utf8")
    .replace(new RegExp(`(?<!gwc-plugin-)${from}`, "g"), to)
    .replaceAll(from.toUpperCase(), to.toUpperCase());
  writeFileSync(path, changed);
}

const settings = {
  data: [{ host: "127.0.0.1", port: 0, setting: "gw.listen" }],
  admin: { host: "127.0.0.1", port: 0, setting: "admin" },
  status: { host: "127.0.0.1", port: 0, setting: "status" },
  metrics: { host: "127.0.0.1", port: 0, setting: "metrics", uri: "/gw/prometheus/metrics" },
};

const check = () => gwc(site.path, ["check", "--quiet"]).stderr;

describe("diagnostics of a package", () => {
  it("the diagnostics of a package are reported and explained in its own words", () => {
    install();
    configure("lead");
    expect(check()).toMatch(
      /gateway\.yaml:8:22 error TIER-001: there is no tier "lead"\n[\s\S]*help: write gold/,
    );
    const explained = gwc(site.path, ["explain", "TIER-001"]);
    expect(explained.stdout).toBe(
      "TIER-001 (error): a tier that nobody has\n\nTiers are what users pay for.\n",
    );
    expect(gwc(site.path, ["explain", "-c", "gateway.yaml"]).stdout).toContain("TIER-001  error");
  });
});

describe("variables of a package", () => {
  it("variables of a package are read in conditions and texts, also by a build without the package", async () => {
    install();
    configure("a");
    expect(check()).toBe("");
    expect(gwc(site.path, ["build", "--quiet", "--out", "dist"])).toMatchObject({ status: 0, stderr: "" });
    const seen = async (tier?: string) => {
      const url = `http://127.0.0.1:${gateway?.addresses.data[0]?.port}/`;
      const response = await fetch(url, { headers: tier === undefined ? {} : { "X-Tier": tier } });
      return `${await response.text()}: ${response.headers.get("x-seen")}`;
    };
    for (const paths of [["gateway.yaml"], ["dist"]]) {
      if (paths[0] === "dist") rmSync(join(site.path, "node_modules"), { recursive: true });
      gateway = await startGateway({ paths, directory: site.path, store: false, settings });
      expect(await seen("gold")).toBe("gold: gold 3");
      expect(await seen("wood")).toBe("other: wood/1");
      expect(await seen()).toBe("other: /");
      // A reader that fails has no value, and the request continues.
      expect(await seen("boom")).toBe("other: boom/");
      const { metrics } = gateway.addresses;
      const page = await (await fetch(`http://127.0.0.1:${metrics[0]?.port}/gw/prometheus/metrics`)).text();
      expect(page).toMatch(/^gw_tier_requests_total(?:\{\})? 1$/m);
      await gateway.close();
    }
  });

  it("a package may consist of variables alone at run time", () => {
    install("exports: undefined, resource: undefined, plan: () => [], view: () => ({}),", {
      "runtime/index.js":
        'export const runtime = { variables: { tier: () => "wood", tier_level: () => 3 } };',
      "runtime/index.d.ts": "export {};",
    });
    configure("a");
    expect(check()).toBe("");
    expect(gwc(site.path, ["route", "GET", "/"]).stdout).toMatch(/^route "gold"/m);
  });

  it("a mistyped variable of a package gets a suggestion", () => {
    install();
    configure("a");
    writeFileSync(
      join(site.path, "more.yaml"),
      'routes: [{ id: m, uri: /m, plugins: { response-rewrite: { body: a, headers: { set: { X-A: "$tier_leval" } } } } }]\n',
    );
    expect(gwc(site.path, ["check", "gateway.yaml", "more.yaml"]).stderr).toContain(
      'did you mean "$tier_level"?',
    );
  });
});

describe("metrics of a package", () => {
  it("a package may not register a metric outside of its own prefix", async () => {
    install("", { "runtime/index.js": RUNTIME.replace("METRIC", "gw_http_requests_total") });
    configure("a");
    // This process already has a plugin called tier.
    for (const file of [
      "gateway.yaml",
      ...["index.js", "runtime/index.js", "runtime/index.d.ts"].map(inPackage),
    ])
      rename(file, "tier", "rank");
    const started = startGateway({ paths: ["gateway.yaml"], directory: site.path, store: false, settings });
    await expect(started).rejects.toThrow('the metric "gw_http_requests_total" is not called gw_rank_…');
  });
});

describe("rejected contributions of packages", () => {
  const refusal = (fields: string, change: Record<string, string> = {}) => {
    install(fields, change);
    configure("a");
    return check();
  };

  it.each([
    ["service", "service: { name: 'x' }", "its code would run in control and the launcher"],
    ["processes", "processes: []", "its code would run in control and the launcher"],
    ["sections", "sections: [{ name: 'x' }]", "only services of gwc read sections"],
    ["kinds", "kinds: []", "metadata.json or a plugin_config"],
    ["table", "table: { plan: () => ({}) }", "metadata.json or a plugin_config"],
    ["commands", "commands: []", '"bin" of its package.json'],
    ["formats", "formats: {}", "pattern and x-pattern-description"],
  ])("the contribution %s of a package is rejected with the reason", (what, fields, reason) => {
    const report = refusal(fields);
    const code = "GW7014";
    expect(report).toContain(
      `gateway.yaml:1:11 error ${code}: "gwc-plugin-tier" adds "${what}", which a package cannot add:`,
    );
    expect(report).toContain(reason);
  });

  it.each([
    [
      "a diagnostic of gwc",
      'diagnostics: { GW4001: { severity: "error", summary: "", message: "", explain: "" } }',
      "does not have the form TIER-001",
    ],
    [
      "a diagnostic without texts",
      'diagnostics: { "TIER-002": { severity: "error" } }',
      '"diagnostics" must be',
    ],
    [
      "a variable of another name",
      "variables: [{ name: 'level', type: 'text', from: 'request', description: '' }]",
      "does not have the form $tier or $tier_…",
    ],
    [
      "a variable of an unknown type",
      "variables: [{ name: 'tier', type: 'list', from: 'request', description: '' }]",
      '"variables" must be a list of name, type (text, number)',
    ],
  ])("a package with %s is rejected", (_, fields, words) => {
    const report = refusal(fields);
    expect(report).toContain("GW7002");
    expect(report).toContain(words);
  });

  it("a package with a variable of gwc is rejected", () => {
    const fields =
      'name: "http", variables: [{ name: "http_tier", type: "text", from: "request", description: "" }],diagnostics: {},';
    const report = refusal(fields);
    expect(report).toContain("GW7005");
    expect(report).toContain('a variable "$http_tier": gwc has one with this name');
  });

  it("a package with a variable that its runtime part does not read is rejected", () => {
    const report = refusal("", { "runtime/index.js": RUNTIME.replace("tier_level:", "level:") });
    expect(report).toContain('whose variables have "tier_level"');
  });
});
