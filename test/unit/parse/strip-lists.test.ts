import { describe, expect, it } from "vitest";
import "../../../plugins/index.js";
import { stripLists } from "../../../compiler/1-parse/strip-lists.js";
import { readConfiguration } from "../../../compiler/compilation/frontend.js";
import { kinds } from "../../../compiler/model/resource.js";
import type { SourceText } from "../../../compiler/model/source.js";

const yaml = (text: string): SourceText => ({ name: "gateway.yaml", format: "yaml", text });
const ROUTE = "  - id: a\n    uri: /a\n    upstream: { nodes: { '127.0.0.1:1': 1 } }\n";
const settingsOf = (source: SourceText) =>
  readConfiguration({ sources: [source], environment: {} }).deployment;

describe("a text without its resources", () => {
  it.each([
    ["before the settings", `routes:\n${ROUTE}gw:\n  workers: 3\n`],
    [
      "between them",
      `gw:\n  workers: 3\nroutes: # all\n${ROUTE}\n# of it\n${ROUTE}deployment:\n  store: { path: s }\n`,
    ],
    [
      "with items that are not indented",
      "routes:\n- id: a\n  uri: /a\n- id: b\n  uri: /b\ngw:\n  workers: 3\n",
    ],
    [
      "with a text in it that looks like settings",
      `gw:\n  workers: 3\nroutes:\n${ROUTE}    desc: |\n      gw:\n        workers: 4\n`,
    ],
    ["with line ends of Windows", `routes:\r\n${ROUTE.replaceAll("\n", "\r\n")}gw:\r\n  workers: 3\r\n`],
  ])("a text without its resources has the same settings: %s", (_, text) => {
    const rest = stripLists(yaml(text), kinds());
    expect(rest?.text).not.toContain("/a");
    expect(rest && settingsOf(rest)).toEqual(settingsOf(yaml(text)));
    expect(rest && settingsOf(rest)).toMatchObject({ gw: { workers: 3 } });
  });

  it.each([
    ["all in braces", "{ gw: { workers: 3 }, routes: [] }\n"],
    ["several documents", "---\ngw:\n  workers: 3\n"],
    ["a quoted key", '"routes":\n  - id: a\n'],
    ["an alias in what is left", `routes:\n  - &r { id: a }\ngw:\n  workers: *r\n`],
  ])("stripLists returns undefined for %s", (_, text) => {
    expect(stripLists(yaml(text), kinds())).toBeUndefined();
  });

  it("stripLists removes resources from JSON and returns undefined if it is invalid", () => {
    const text = JSON.stringify({ gw: { workers: 3 }, routes: [{ id: "a" }] });
    const rest = stripLists({ name: "gateway.json", format: "json", text }, kinds());
    expect(rest?.text).toBe('{"gw":{"workers":3}}');
    expect(stripLists({ name: "gateway.json", format: "json", text: "{" }, kinds())).toBeUndefined();
  });
});
