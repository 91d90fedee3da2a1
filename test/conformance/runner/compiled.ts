import { stringify } from "yaml";
import { type CompileResult, compile } from "../../../compiler/index.js";
import type { ConformanceCase } from "./case.js";

/** Compiles the case's configuration as a file of an operator. */
export function compileCase({ name, configuration }: ConformanceCase): CompileResult {
  const text = stringify(configuration, { aliasDuplicateObjects: false });
  return compile({ sources: [{ name: `${name}.yaml`, text, format: "yaml" }], environment: {} });
}

/**
 * @throws Error with every finding when the configuration does not compile
 */
export function compiledCase(written: ConformanceCase): {
  plan: NonNullable<CompileResult["plan"]>;
  artifact: NonNullable<CompileResult["artifact"]>;
} {
  const { plan, artifact, diagnostics } = compileCase(written);
  if (plan !== undefined && artifact !== undefined) return { plan, artifact };
  throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join("\n"));
}
