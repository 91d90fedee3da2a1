import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Project, ScriptTarget, ts } from "ts-morph";
import { plugins } from "../plugin/registry.js";

export interface CheckedModule {
  file: string;
  typescript: string;
}

/** Fault that the type check or the formatter finds in a generated module: always a bug of the compiler. */
export interface ModuleFault {
  kind: "types" | "format";
  file: string;
  line: number;
  message: string;
}

/** The formatter's defaults with an indentation of two blanks. */
const FORMAT: ts.FormatCodeSettings = { ...ts.getDefaultFormatCodeSettings("\n"), indentSize: 2, tabSize: 2 };

/**
 * "This comparison appears to be unintentional": `status === 404` after a test for 200. Conditions that
 * exclude each other are allowed; the plan step reports those within one expression.
 */
const EXCLUDED = 2367;

/** Type-checks modules strictly in one program, and checks that formatting changes none of their bytes. */
export function checkTypes(modules: readonly CheckedModule[]): ModuleFault[] {
  const project = openProject();
  const files = modules.map(({ file, typescript }, i) => ({
    file,
    typescript,
    source: project.createSourceFile(`${ROOT}/checked-${i}.ts`, typescript),
  }));
  const faults = files.flatMap(({ file, typescript, source }) =>
    formatFaults(file, typescript, source.compilerNode, project),
  );
  const program = project.getProgram().compilerObject;
  for (const { file, source } of files) {
    const found = [
      ...program.getSyntacticDiagnostics(source.compilerNode),
      ...program.getSemanticDiagnostics(source.compilerNode),
    ];
    for (const { start = 0, messageText, code } of found) {
      if (code === EXCLUDED) continue;
      const { line } = ts.getLineAndCharacterOfPosition(source.compilerNode, start);
      const message = ts.flattenDiagnosticMessageText(messageText, " ");
      faults.push({ kind: "types", file, line: line + 1, message });
    }
  }
  return faults;
}

const ROOT = fileURLToPath(new URL(".", import.meta.url)).replaceAll("\\", "/");

/** Entry file of types for modules: the sources in a work tree, the declarations in an installed package. */
function typesOf(folder: string, inside = "", stem = "index"): string {
  const root = fileURLToPath(new URL(`../../${folder}`, import.meta.url));
  const extension = ["ts", "d.ts"].find((one) => existsSync(join(root, `${stem}.${one}`)));
  if (extension === undefined) throw new Error(`this gwc is incomplete: ${join(root, stem)} has no types`);
  return join(root, inside, `${stem}.${extension}`);
}

function openProject(): Project {
  return new Project({
    skipAddingFilesFromTsConfig: true,
    compilerOptions: {
      target: ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      paths: {
        "gwc/runtime": [typesOf("runtime/abi")],
        "gwc/plugin": [typesOf("compiler", "", "plugin-api")],
        "gwc/logger": [typesOf("compiler", "", "logger-api")],
        "gwc/logger/runtime": [typesOf("runtime/logging")],
        "gwc/plugins/*": [typesOf("plugins", "*/runtime")],
        ...Object.fromEntries(
          plugins().flatMap(({ name, types }) =>
            types === undefined ? [] : [[`gwc/plugins/${name}`, [types]]],
          ),
        ),
      },
      types: [],
      strict: true,
      noUncheckedIndexedAccess: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      skipLibCheck: true,
      noEmit: true,
      allowImportingTsExtensions: true,
    },
  });
}

/** First line that the formatter would change. */
function formatFaults(
  file: string,
  typescript: string,
  source: ts.SourceFile,
  project: Project,
): ModuleFault[] {
  const edits = project
    .getLanguageService()
    .compilerObject.getFormattingEditsForDocument(source.fileName, FORMAT);
  const edit = edits.find(({ span, newText }) => typescript.substr(span.start, span.length) !== newText);
  if (edit === undefined) return [];
  const { line } = ts.getLineAndCharacterOfPosition(source, edit.span.start);
  const wanted = formatted(typescript, edits).split("\n")[line] ?? "";
  const message = `formatting would make this line \`${wanted.slice(0, MAX_SHOWN)}\``;
  return [{ kind: "format", file, line: line + 1, message }];
}

const MAX_SHOWN = 160;

function formatted(text: string, edits: readonly ts.TextChange[]): string {
  const last = [...edits].sort((a, b) => b.span.start - a.span.start);
  return last.reduce(
    (changed, { span, newText }) =>
      changed.slice(0, span.start) + newText + changed.slice(span.start + span.length),
    text,
  );
}
