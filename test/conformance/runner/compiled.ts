import "../../../plugins/index.js";
import { stringify } from "yaml";
import { type CompileResult, compile } from "../../../compiler/index.js";
import type { Kind } from "../../../compiler/model/resource.js";
import type { ConformanceCase } from "./case.js";

/** Compiles the case's configuration as a file of an operator. */
export function compileCase({ name, configuration, deleted = [] }: ConformanceCase): CompileResult {
  const text = stringify(configuration, { aliasDuplicateObjects: false });
  const stored = deleted.map((path) => {
    const [kind = "", id = ""] = path.split("/");
    return { kind: kind as Kind, id, value: null };
  });
  return compile({ sources: [{ name: `${name}.yaml`, text, format: "yaml" }], stored, environment: {} });
}

/**
 * @throws Error with every diagnostic if the configuration does not compile
 */
export function compiledCase(written: ConformanceCase): {
  plan: NonNullable<CompileResult["plan"]>;
  artifact: NonNullable<CompileResult["artifact"]>;
} {
  const { plan, artifact, diagnostics } = compileCase(written);
  if (plan !== undefined && artifact !== undefined) return { plan, artifact };
  throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
}
