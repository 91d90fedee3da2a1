import { describe, expect, it } from "vitest";
import { yamlPlace } from "../../../runtime/dashboard/editor/yaml-place.js";

/** Position in the last line, which is being typed. */
const placeIn = (...lines: string[]) => yamlPlace(lines.slice(0, -1), lines.at(-1) ?? "");

describe("the position in YAML that is being typed", () => {
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
  ] as const)("the position after %j is below %j, a %s from column %i", (lines, path, writes, from) => {
    expect(placeIn(...lines)).toEqual({ path, writes, from });
  });

  it.each([[["uri: [/a, "]], [["# com ment"]], [['name: "a b ']]])(
    "no position is found after %j",
    (lines) => {
      expect(placeIn(...lines)).toBeUndefined();
    },
  );
});
