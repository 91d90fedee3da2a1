import "../../../plugins/runtime.js";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { GatewayExchange } from "../../../runtime/proxy/exchange/exchange.js";
import { loadModule } from "../../../runtime/proxy/host/load.js";
import { configPathAt, failureOf } from "../../../runtime/proxy/host/module-stack.js";

const GOLDEN = new URL("../../golden/", import.meta.url);

/** Golden module in the form that is loaded. */
function golden(path: string): string {
  return readFileSync(new URL(path, GOLDEN), "utf8")
    .replace(/^import (\{[^}]*\}) from "gwc\/runtime";/m, 'const $1 = require("gwc/runtime");')
    .replace(/^export default /m, "module.exports = ");
}

function load(file: string, code: string) {
  const hash = createHash("sha256").update(code).digest("hex");
  return loadModule({ moduleId: file, file, hash, code });
}

const exchangeOf = (module: object, more: object = {}) =>
  ({
    route: { module },
    generation: { globalRules: [], pluginMetadata: new Map() },
    ...more,
  }) as unknown as GatewayExchange;

function thrown(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

describe("an error of a generated module", () => {
  it("an error of a module is reported with config path and plugin of its statement, also in the stack", () => {
    const module = load("global_rules/1", golden("global-rule/expected/global_rules/1.ts"));
    const error = thrown(() => module.headerFilter?.({ response: null } as never));
    const x = { route: undefined, generation: { globalRules: [{ module }], pluginMetadata: new Map() } };
    const fields = failureOf(x as unknown as GatewayExchange, error).fields;
    expect(fields).toMatchObject({
      at_config: "global_rules/1 plugins.response-rewrite",
      plugin: "response-rewrite",
      reason: error.message,
    });
    expect(String(fields["stack"]).split("\n")[0]).toMatch(
      /^at .*headerFilter \(global_rules\/1 plugins\.response-rewrite, global_rules\/1\.js:12:\d+\)$/,
    );
  });

  it("an error of a condition is reported with its config path and without a plugin", () => {
    const module = load("routes/matched", golden("conditions/expected/routes/matched.ts"));
    const error = thrown(() => module.match?.({} as never));
    const fields = failureOf(exchangeOf(module), error).fields;
    expect(fields).toMatchObject({ at_config: "routes/matched vars[0]", plugin: undefined });
  });

  it("a line without a source comment above it has the config path of its module", () => {
    const code = golden("conditions/expected/routes/matched.ts");
    expect(configPathAt(code, 4)).toEqual({ at: "routes/matched", plugin: undefined });
    expect(configPathAt("const a = 1;", 1)).toBeUndefined();
  });

  it("an error of a module makes a log line of less than 8 kB, however long its message and stack are", () => {
    const module = load("routes/matched", golden("conditions/expected/routes/matched.ts"));
    const error = new Error("\u0000é".repeat(50_000));
    error.stack += "\n    at somewhere (file.js:1:1)".repeat(2_000);
    const line = JSON.stringify({
      at: new Date().toISOString(),
      pid: 1,
      route: "r",
      ...failureOf(exchangeOf(module), error).fields,
    });
    expect(Buffer.byteLength(line)).toBeLessThan(8_192);
  });

  it("a thrown text that is no error has neither fields nor parts", () => {
    expect(failureOf(exchangeOf({}), "text")).toEqual({ fields: {}, parts: [] });
  });
});
