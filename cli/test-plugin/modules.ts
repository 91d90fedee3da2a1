import { pluralize } from "../pluralize.js";
import "../../plugins/index.js";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkModules } from "../../compiler/6-check/index.js";
import type { CaseResult } from "./cases.js";
import type { Failure, Outcome } from "./report.js";

export function checkedModules(root: string, results: readonly CaseResult[]): Outcome {
  const modules = results.flatMap(({ file, result }) =>
    result.modules.map(({ text, content }) => ({
      file: `${file}, ${text.file}`,
      typescript: content,
      loadable: text.code,
    })),
  );
  const failures = checkModules(modules).map(({ code, message }) => ({
    ...(placeOf(root, message) ?? placeOfLine(root, lineOf(modules, message))),
    message: `${code}: ${message}`,
  }));
  return { check: "generated modules", seen: pluralize(modules.length, "module"), failures };
}

/** Finds the name of a diagnostic in the templates; a name that no template contains comes from the view. */
function placeOf(root: string, message: string): Pick<Failure, "file" | "line"> | undefined {
  const [, name] = /\b(?:member|name) "([A-Za-z_$][\w$]*)"/.exec(message) ?? [];
  if (name === undefined) return undefined;
  for (const { file, lines } of templatesOf(root)) {
    const at = lines.findIndex((text) => text.split(/[^\w$]+/).includes(name));
    if (at >= 0) return { file, line: at + 1 };
  }
  return undefined;
}

/** Finds the line of a module that a message refers to: "cases/a.yaml, routes/r.ts:25: …". */
function lineOf(modules: readonly { file: string; typescript: string }[], message: string): string {
  for (const { file, typescript } of modules) {
    if (!message.startsWith(`${file}:`) && !message.startsWith(`${file}.ts:`)) continue;
    const [, line] = /^:(?: line )?(\d+)/.exec(message.slice(message.indexOf(":", file.length - 1))) ?? [];
    return typescript.split("\n")[Number(line) - 1] ?? "";
  }
  return "";
}

/** Finds the template line that covers most of a printed one; without one, the template if it is the only one. */
function placeOfLine(root: string, printed: string): Pick<Failure, "file" | "line"> {
  const templates = templatesOf(root);
  let best = { file: templates.length === 1 ? (templates[0]?.file ?? "") : "*.hbs", line: 0, common: 0 };
  for (const { file, lines } of templates)
    lines.forEach((line, i) => {
      const common = commonText(line, printed);
      if (common > best.common) best = { file, line: i + 1, common };
    });
  return best.line === 0 ? { file: best.file } : { file: best.file, line: best.line };
}

/** Counts characters outside of `{{…}}` that the printed line contains in that order; 0 if one part is missing. */
function commonText(line: string, printed: string): number {
  const parts = line.split(/\{\{.*?\}\}/).map((part) => part.trim());
  let from = 0;
  for (const part of parts) {
    const at = printed.indexOf(part, from);
    if (at < 0) return 0;
    from = at + part.length;
  }
  return parts.join("").length;
}

function templatesOf(root: string): { file: string; lines: string[] }[] {
  const files = readdirSync(root).filter((each) => each.endsWith(".hbs"));
  return files.map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").split("\n") }));
}
