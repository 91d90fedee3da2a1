import { describe, expect, it } from "vitest";
import { ELSEWHERE } from "../../../compiler/2-validate/plugins.js";
import { read } from "../../architecture/sources.js";

describe("plugins of other gateways", () => {
  it("the page docs/migration.md names every plugin of other gateways that GW2114 knows", () => {
    const [, section = ""] = read("docs/migration.md").split("## Plugins that are not here\n");
    expect([...ELSEWHERE].filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
  });
});
