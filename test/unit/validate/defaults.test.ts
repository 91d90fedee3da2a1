import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { withDefaults } from "../../../compiler/2-validate/defaults.js";
import { plugins } from "../../../compiler/plugin/registry.js";

describe("settings with the defaults of their schema", () => {
  it("withDefaults fills in absent settings and leaves written ones unchanged", () => {
    expect(withDefaults("plugins/key-auth.json", { query: "key" })).toEqual({
      header: "apikey",
      query: "key",
      hide_credentials: false,
    });
  });

  it("withDefaults fills in settings inside lists, alternatives and absent objects", () => {
    const sasl_config = { user: "a", password: "b" };
    const broker = { host: "k", port: 9092, sasl_config };
    const filled = { ...broker, sasl_config: { ...sasl_config, mechanism: "PLAIN" } };
    const file = "plugins/broker-logger.json";
    expect(withDefaults(file, { brokers: [broker] })).toMatchObject({
      brokers: [filled],
      spool: { max_bytes: 1_073_741_824, on_full: "refuse" },
      redact: { credentials: true },
    });
    const filters = [{ regex: "a", replace: "b", scope: "global" }];
    expect(withDefaults("plugins/response-rewrite.json", { filters })).toMatchObject({
      filters: [{ scope: "global", options: "jo", allow_slow: false }],
    });
  });

  it("withDefaults does not change its input and shares no default between results", () => {
    const written = { site_key: "s", api_key: "k" };
    const settled = () => withDefaults<object>("plugins/captcha.json", written) as { methods: string[] };
    settled().methods.push("GET");
    expect(settled().methods).not.toContain("GET");
    expect(written).toEqual({ site_key: "s", api_key: "k" });
  });

  it.each(plugins())(
    "withDefaults adds nothing to settings of $name that have their defaults",
    ({ name }) => {
      const once = withDefaults(`plugins/${name}.json`, {});
      expect(withDefaults(`plugins/${name}.json`, once)).toEqual(once);
    },
  );
});
