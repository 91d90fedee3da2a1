import "../../plugins/index.js";
import { nearest } from "../../compiler/diagnostics/nearest.js";
import { diagnostic } from "../../compiler/diagnostics/report.js";
import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { Path, Spanned } from "../../compiler/model/source.js";
import { pluginNames } from "../../compiler/plugin/registry.js";
import type { TestSpec } from "./test-spec.js";

type Tests = readonly Spanned<TestSpec>[];

export function repeatedNames(tests: Tests): Diagnostic[] {
  const first = new Map<string, Spanned<TestSpec>>();
  return tests.flatMap((test) => {
    const { name } = test.value;
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, test);
      return [];
    }
    const notes = [{ message: "first test of this name", span: earlier.spans.value(["name"]) }];
    return [diagnostic("GW2130", test.spans.value(["name"]), { name }, { notes })];
  });
}

/** Reports routes and loggers that tests expect and the configuration lacks. */
export function unknownNames(tests: Tests, routes: readonly string[]): Diagnostic[] {
  const known = { route: new Set(routes), plugin: new Set(pluginNames()) };
  return tests.flatMap(({ value: { expect }, spans }) => {
    const judged = (kind: keyof typeof known, name: string, path: Path): Diagnostic[] => {
      if (known[kind].has(name)) return [];
      const near = nearest(name, known[kind]);
      const help = near === undefined ? {} : { help: `did you mean "${near}"?` };
      return [diagnostic("GW2131", spans.value(["expect", ...path]), { kind, name }, help)];
    };
    const { route, log = [] } = expect;
    return [
      ...(route === undefined || route === false ? [] : judged("route", String(route), ["route"])),
      ...log.flatMap(({ plugin }, i) => judged("plugin", plugin, ["log", i, "plugin"])),
    ];
  });
}
