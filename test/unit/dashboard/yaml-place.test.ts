import { describe, expect, it } from "vitest";
import { yamlPlace } from "../../../runtime/dashboard/editor/yaml-place.js";

/** The last line is the one that is written. */
const placeIn = (...lines: string[]) => yamlPlace(lines.slice(0, -1), lines.at(-1) ?? "");

describe("the place in YAML that is written", () => {
  it.each([
    [["ur"], [], "key", 0],
    [["uri: /a", "up"], [], "key", 0],
    [["upstream:", "  no"], ["upstream"], "key", 2],
    [["upstream:", "  type: chash", "", "  # a comment: here", "  no"], ["upstream"], "key", 2],
    [["upstream:", "  nodes:", "    - host: a", "      po"], ["upstream", "nodes", "[]"], "key", 6],
    [["upstream:", "  nodes:", "  - host: a", "    po"], ["upstream", "nodes", "[]"], "key", 4],
    [["upstream:", "  nodes:", "  - host: a", "  - po"], ["upstream", "nodes", "[]"], "key", 4],
    [["upstream:", "  nodes:", "  - host: a", "  pa"], ["upstream"], "key", 2],
    [
      ["plugins:", '  "response-rewrite":', "    vars: []", "    he"],
      ["plugins", "response-rewrite"],
      "key",
      4,
    ],
    [["plugins:", "  syslog: {}", "  re"], ["plugins"], "key", 2],
    [["upstream:", "  type: ro"], ["upstream", "type"], "value", 8],
    [["enable_websocket: "], ["enable_websocket"], "value", 18],
  ] as const)("after %j is below %j, a %s from column %i", (lines, path, writes, from) => {
    expect(placeIn(...lines)).toEqual({ path, writes, from });
  });

  it.each([[["uri: [/a, "]], [["# com ment"]], [['name: "a b ']]])("is none after %j", (lines) => {
    expect(placeIn(...lines)).toBeUndefined();
  });
});
