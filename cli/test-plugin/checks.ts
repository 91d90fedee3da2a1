import "../../plugins/index.js";
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { parseSource } from "../../compiler/1-parse/parse.js";
import { validator } from "../../compiler/2-validate/validators.js";
import { checkModules } from "../../compiler/6-check/index.js";
import { isError } from "../../compiler/model/diagnostic.js";
import { pluralize } from "../output.js";
import type { CaseResult } from "./cases.js";
import { compileWithPackage, lineInYaml, type Place } from "./compile-case.js";
import type { Failure, Outcome } from "./report.js";

function lineOf(source: string, text: string): number | undefined {
  const at = source.indexOf(text);
  return at < 0 ? undefined : source.slice(0, at).split("\n").length;
}

/** The schema itself was checked when the package was loaded. */
export function checkExamples(root: string, plugin: string): Outcome {
  const text = readFileSync(join(root, "schema.json"), "utf8");
  const { examples = [] } = JSON.parse(text) as { examples?: unknown[] };
  const fits = validator(`plugins/${plugin}.json`);
  const failures = examples.flatMap((example) => {
    if (fits(structuredClone(example))) return [];
    const why = (fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`.trim());
    const line = lineOf(text, '"examples"');
    return [{ file: "schema.json", line, message: `${JSON.stringify(example)}: ${why.join("; ")}` }];
  });
  return { check: "schema", seen: `${examples.length} examples`, failures };
}

/** Checks that the YAML blocks of the README with routes or other resources compile. */
export function checkReadme(root: string, place: Place): Outcome {
  const path = join(root, "README.md");
  if (!existsSync(path))
    return { check: "README", seen: "", failures: [{ file: "README.md", message: "the file is missing" }] };
  const text = readFileSync(path, "utf8");
  const blocks = Array.from(text.matchAll(/^```ya?ml\n(.*?)^```/gms), (match) => ({
    code: match[1] ?? "",
    first: text.slice(0, match.index).split("\n").length,
  }));
  const whole = blocks.filter(({ code }) => /^(?:routes|services|global_rules|plugin_configs):/m.test(code));
  const failures = whole.flatMap(({ code, first }) => exampleFailures(code, first, place));
  if (whole.length === 0)
    failures.push({ file: "README.md", line: undefined, message: "no example has routes" });
  return { check: "README", seen: `${whole.length} examples`, failures };
}

function exampleFailures(code: string, first: number, place: Place): Failure[] {
  const file = "README.md";
  const { document, diagnostics } = parseSource({ name: file, text: code, format: "yaml" });
  if (document === undefined)
    return diagnostics.map(({ message, span }) => ({ file, line: first + (span?.start.line ?? 0), message }));
  const { diagnostics: found, text } = compileWithPackage(place, document.value as object, file);
  return found.filter(isError).map((one) => ({
    file,
    line: first + (lineInYaml(one, text, document.spans) ?? 0),
    message: `${one.code}: ${one.message}`,
  }));
}

interface Packed {
  files: { path: string }[];
}

/** Checks that `npm pack` includes all files that a gateway reads, and that the package brings no gwc of its own. */
export async function checkPacked(root: string, needed: readonly string[]): Promise<Outcome> {
  const check = "npm pack";
  const text = readFileSync(join(root, "package.json"), "utf8");
  const manifest = JSON.parse(text) as Record<string, Record<string, string> | undefined>;
  const failures: Failure[] = [];
  if (manifest["dependencies"]?.["gwc"] !== undefined)
    failures.push({
      file: "package.json",
      line: lineOf(text, '"dependencies"'),
      message: "gwc belongs to peerDependencies: the plugin uses the gwc that loads it",
    });
  if (manifest["peerDependencies"]?.["gwc"] === undefined)
    failures.push({ file: "package.json", message: "peerDependencies must name gwc" });
  const packed = await filesPacked(root);
  if (typeof packed === "string")
    return { check, seen: "", failures: [...failures, { file: "package.json", message: packed }] };
  const templates = readdirSync(root).filter((file) => file.endsWith(".hbs"));
  const others = ["consumer.json", "metadata.json"].filter((file) => existsSync(join(root, file)));
  const all = [...needed.map((path) => relative(root, path)), "schema.json", ...others, ...templates];
  for (const file of all)
    if (!packed.includes(file))
      failures.push({
        file: "package.json",
        line: lineOf(text, '"files"'),
        message: `${file} is not packed: add it to "files"`,
      });
  return { check, seen: `${packed.length} files`, failures };
}

async function filesPacked(root: string): Promise<string[] | string> {
  try {
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
    const { stdout } = await promisify(execFile)("npm", args, { cwd: root, maxBuffer: 64_000_000 });
    const [packed] = JSON.parse(stdout) as Packed[];
    return (packed?.files ?? []).map(({ path }) => path);
  } catch (error) {
    return `npm pack failed: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`;
  }
}

/** Checks the generated modules of the cases. */
export function checkedModules(root: string, results: readonly CaseResult[]): Outcome {
  const modules = results.flatMap(({ file, result }) =>
    result.modules.map(({ text, content }) => ({
      file: `${file}, ${text.file}`,
      typescript: content,
      loadable: text.code,
    })),
  );
  const failures = checkModules(modules).map(({ code, message }) => ({
    ...(placeOfName(root, message) ?? placeOfLine(root, printedLine(modules, message))),
    message: `${code}: ${message}`,
  }));
  return { check: "generated modules", seen: pluralize(modules.length, "module"), failures };
}

/** Finds the name of a diagnostic in the templates; a name that no template contains comes from the view. */
function placeOfName(root: string, message: string): Pick<Failure, "file" | "line"> | undefined {
  const [, name] = /\b(?:member|name) "([A-Za-z_$][\w$]*)"/.exec(message) ?? [];
  if (name === undefined) return undefined;
  for (const { file, lines } of templatesOf(root)) {
    const at = lines.findIndex((text) => text.split(/[^\w$]+/).includes(name));
    if (at >= 0) return { file, line: at + 1 };
  }
  return undefined;
}

/** Finds the line of a module that a message refers to: "cases/a.yaml, routes/r.ts:25: …". */
function printedLine(modules: readonly { file: string; typescript: string }[], message: string): string {
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
