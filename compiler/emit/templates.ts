import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Handlebars from "handlebars";
import { codeText, printIdentifier, printLiteral, printNote } from "./printers.js";

/** Renders a view; see the template of that name below `templates/`. */
export type Render = (view: Record<string, unknown>) => string;

/** The only ways for a value into program text; the plain mustache is refused by the template test. */
export const PRINTERS = {
  lit: (value: string | number | boolean) => printLiteral(value),
  ident: (name: string) => printIdentifier(name),
  note: (text: string) => printNote(text),
  expr: (code: unknown) => codeText(code),
  list: (codes: readonly unknown[]) => codes.map(codeText).join(", "),
} as const;

const OPTIONS = {
  noEscape: true,
  strict: true,
  knownHelpersOnly: true,
  knownHelpers: { lit: true, ident: true, note: true, expr: true, list: true },
} as const;

/** `templates/` of the package, from the sources as from `.build/`. */
export function templateFolder(): string {
  const candidates = ["../../templates", "../../../templates"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return candidates.find((path) => existsSync(join(path, "module.hbs"))) ?? candidates.join(" or ");
}

let loaded: ReadonlyMap<string, Render> | undefined;

/**
 * The template "module" or "plugins/<name>.<phase>".
 * @throws RangeError when there is none: a fault of the installation.
 */
export function template(name: string): Render {
  loaded ??= loadTemplates(templateFolder());
  const render = loaded.get(name);
  if (render === undefined) throw new RangeError(`no template ${name} in ${templateFolder()}`);
  return render;
}

function loadTemplates(folder: string): ReadonlyMap<string, Render> {
  const handlebars = Handlebars.create();
  for (const [name, print] of Object.entries(PRINTERS))
    handlebars.registerHelper(name, print as Handlebars.HelperDelegate);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".hbs"),
  );
  const renders = new Map<string, Render>();
  for (const path of files) {
    const name = path.slice(0, -".hbs".length).replaceAll("\\", "/");
    const source = readFileSync(join(folder, path), "utf8");
    handlebars.registerPartial(name, handlebars.compile(source, OPTIONS));
    renders.set(name, handlebars.compile(source, OPTIONS));
  }
  return renders;
}
