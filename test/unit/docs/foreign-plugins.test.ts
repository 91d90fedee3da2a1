import { describe, expect, it } from "vitest";
import { ELSEWHERE } from "../../../compiler/validate/plugins.js";
import { read } from "../../architecture/sources.js";

describe("plugins of other gateways", () => {
  it("are all named in docs/migration.md, where the help of GW2114 leads", () => {
    const [, section = ""] = read("docs/migration.md").split("## Plugins that are not here\n");
    expect([...ELSEWHERE].filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
  });
});
