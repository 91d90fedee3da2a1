import { counted } from "../counted.js";
import "../../plugins/index.js";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkModules } from "../../compiler/check/index.js";
import type { CompileResult } from "../../compiler/index.js";
import type { Failure, Outcome } from "./report.js";

/** Strict types, layout and names of what was generated for the cases. */
export function checkedModules(root: string, results: readonly CompileResult[]): Outcome {
  const modules = results.flatMap(({ modules: all }, i) =>
    all.map(({ text, content }) => ({
      file: `case ${i + 1}: ${text.file}`,
      typescript: content,
      loadable: text.code,
    })),
  );
  const failures = checkModules(modules).map(({ code, message }) => ({
    ...placeOf(root, message),
    message: `${code}: ${message}`,
  }));
  return { check: "generated modules", seen: counted(modules.length, "module"), failures };
}

/** Where a template has the name that a finding is about; its own text comes from there, or from what the view gives. */
function placeOf(root: string, message: string): Pick<Failure, "file" | "line"> {
  const [, name] = /\b(?:member|name) "([A-Za-z_$][\w$]*)"/.exec(message) ?? [];
  if (name !== undefined)
    for (const file of readdirSync(root).filter((each) => each.endsWith(".hbs"))) {
      const lines = readFileSync(join(root, file), "utf8").split("\n");
      const at = lines.findIndex((text) => text.split(/[^\w$]+/).includes(name));
      if (at >= 0) return { file, line: at + 1 };
    }
  return { file: "*.hbs" };
}
