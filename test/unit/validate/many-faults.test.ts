import "../../../plugins/index.js";
import { describe, expect, it } from "vitest";
import { parseSource } from "../../../compiler/1-parse/parse.js";
import { validateResource } from "../../../compiler/2-validate/resource.js";
import { collectFaults } from "../../../compiler/2-validate/schema-faults.js";
import type { Diagnostic } from "../../../compiler/model/diagnostic.js";
import { pluginNames } from "../../../compiler/plugin/registry.js";
import { validateDocument } from "../../../compiler/thread/validate-document.js";
import { readRequest } from "../../../compiler/which-route/request.js";
import { schemaFile } from "../../../schema/schemas.js";

/** Returns the diagnostics of an admin API body that contains a route. */
function findingsOf(text: string): Diagnostic[] {
  const { document, diagnostics } = parseSource({ name: "body", text, format: "json" });
  if (document === undefined) return diagnostics;
  return [...diagnostics, ...validateResource("routes", document, { plugins: pluginNames() }).diagnostics];
}

const times = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => of(i)).join(",");
const fields = (count: number) => times(count, (i) => `"f${i}":1`);
const route = (rest: string) => `{"id":"r","uri":"/r",${rest}}`;
const lastNote = (found: readonly Diagnostic[]) =>
  found.findLast(({ notes }) => notes.length > 0)?.notes.at(-1)?.message;

describe("a text with thousands of mistakes", () => {
  it.each<[string, string, string, number]>([
    ["fields of a route", route(fields(9_000)), "GW2101", 8_901],
    ["fields of an upstream", route(`"upstream":{${fields(10_000)}}`), "GW2101", 9_901],
    ["nodes that are none", route(`"upstream":{"nodes":[${times(10_000, () => "{}")}]}`), "GW2102", 19_900],
    ["fields of plugins", route(`"plugins":{"key-auth":{${fields(10_000)}}}`), "GW2101", 9_900],
    ["plugins", route(`"plugins":{${times(10_000, (i) => `"f${i}":{}`)}}`), "GW2114", 9_900],
    ["keys given twice", route(times(200_001, () => '"a":1')), "GW1003", 199_900],
    ["comments", `${"/**/".repeat(350_000)}{}`, "GW1014", 349_900],
    ["numbers that are too large", route(`"vars":[${times(200_000, () => "1e999")}]`), "GW1010", 199_900],
  ])(
    "at most 100 diagnostics are reported for %s, and a note counts the others",
    (_what, text, code, more) => {
      const found = findingsOf(text).filter((one) => one.code === code);
      expect(found.length).toBeLessThanOrEqual(100);
      expect(found.length).toBeGreaterThan(30);
      expect(lastNote(found)).toBe(`and ${more} more`);
      expect(JSON.stringify(found).length).toBeLessThan(200_000);
    },
  );

  it("10,000 different paths of a route produce no diagnostic", () => {
    const uris = times(10_000, (i) => `"/${i}"`);
    expect(findingsOf(`{"id":"r","uris":[${uris}],"upstream":{"nodes":{"a:1":1}}}`)).toEqual([]);
  });

  it("collectFaults reports the first pair of equal items in a list of 150,000", () => {
    const uris = Array.from({ length: 150_000 }, (_, i) => `/${i}`);
    const found = collectFaults(schemaFile("route.json"), { uris: [...uris, "/7"], f: 1 });
    const equal = found.filter(({ keyword }) => keyword === "uniqueItems").map((one) => one.equal);
    expect(equal).toEqual([[7, 150_000]]);
    const objects = collectFaults({ file: "x.json", node: { uniqueItems: true } }, [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ]);
    expect(objects).toMatchObject([{ keyword: "uniqueItems", equal: [0, 1] }]);
  });

  it.each([
    ["resources with mistakes", "{}"],
    ["resources that are none", "1"],
    ["resources of one id", '{"id":"r","uri":"/r","upstream":{"nodes":{"a:1":1}}}'],
  ])("the validation of a document ends after 100 errors: %s", (_what, resource) => {
    const list = times(1_000, () => resource);
    const { errors, diagnostics } = validateDocument(`{"routes":[${list}],"services":[1,2]}`, "json");
    const first = resource.startsWith('{"id"') ? 1 : 0;
    expect(errors.slice(0, 100).map(({ index }) => index)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + first),
    );
    expect(errors.slice(100)).toEqual([
      {
        resource_type: "configs",
        error: `${902 - first} more resources were not validated: 100 errors are the limit`,
      },
    ]);
    expect(diagnostics.length).toBeLessThanOrEqual(300);
  });

  it("a sample request and a document with 140,000 unknown fields have 100 diagnostics and one count", () => {
    const read = readRequest(`{"url":"/",${fields(140_000)}}`);
    expect("diagnostics" in read && [read.diagnostics.length, lastNote(read.diagnostics)]).toEqual([
      100,
      "and 139900 more",
    ]);
    const { diagnostics } = validateDocument(`{${fields(140_000)}}`, "json");
    expect([diagnostics.length, lastNote(diagnostics)]).toEqual([100, "and 139900 more"]);
  });
});
