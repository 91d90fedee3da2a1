import "../../../plugins/index.js";
import { expect, it } from "vitest";
import type { Compilation } from "../../../compiler/compilation/compilation.js";
import type { SourceText } from "../../../compiler/model/source.js";
import { newCompilation } from "../../support/compilation.js";

/** A filter that holds live streams until they end, and a condition that nothing fulfils. */
const route = (id: string) => ({
  uri: `/${id}`,
  upstream: { nodes: { "127.0.0.1:80": 1 } },
  vars: [["request_method", "==", "get"]],
  plugins: { "response-rewrite": { filters: [{ regex: "<b[^>]*>", replace: "" }] } },
});
/** Each route in a file of its own, so that a reload leaves those of the other files as they are. */
const files = (...ids: string[]): { sources: SourceText[] } => ({
  sources: ids.map((id) => ({
    name: `${id}.json`,
    text: JSON.stringify({ routes: [{ id, ...route(id) }] }),
    format: "json",
  })),
});
const codes = ({ diagnostics }: { diagnostics: readonly { code: string }[] }) =>
  [...new Set(diagnostics.map(({ code }) => code))].sort();
/** Files of routes that findings of what runs give advice about. */
const advised = (compilation: Compilation) =>
  compilation.findings().flatMap(({ code, span }) => (code === "GW4205" ? [span?.file] : []));

it("a start and a reload report no advice; a write and the diagnostics of the running configuration do", () => {
  const compilation = newCompilation();
  expect(codes(compilation.load({ ...files("a"), environment: {} }))).toEqual(["GW3071"]);
  const reload = compilation.reload(files("a", "b"));
  expect(codes(reload)).toEqual(["GW3071"]);
  reload.commit();
  expect(advised(compilation)).toEqual(["a.json", "b.json"]);
  const text = JSON.stringify(route("c"));
  const write = compilation.write([{ put: { kind: "routes", id: "c", text } }]);
  expect(codes(write)).toEqual(["GW3071", "GW4205"]);
  write.commit();
  expect(advised(compilation)).toHaveLength(3);
  compilation.reload(files("a")).commit();
  expect(advised(compilation)).toHaveLength(2);
});
