import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type Handlebars from "handlebars";
import { assetFolder } from "../../schema/schemas.js";
import type { StepPhase } from "../model/plan.js";
import { Code, joinCode } from "../plugin/code.js";
import type { PluginDefinition } from "../plugin/definition.js";
import { handlebars } from "./handlebars.js";
import { printIdentifier, printLiteral, printNote } from "./printers.js";

/** Renders a view by the template of that name in `templates/`. */
export type Render = (view: Record<string, unknown>) => Code;

/** Printers, the only way to print a value; the template test rejects the plain mustache. */
export const PRINTERS = {
  lit: (value: string | number | boolean) => printLiteral(value),
  ident: (name: string) => printIdentifier(name),
  note: (text: string) => printNote(text),
  expr: (code: unknown) => holeFor(codeIn(code)),
  list: (codes: readonly unknown[]) => holeFor(joinCode(codes.map(codeIn), ", ")),
} as const;

/** Code that the templates of a render print, by the number in its hole. */
let printed: Code[] = [];
const HOLE = /\x01(\d+)\x02/;

/** Text in the place of code, since Handlebars prints texts. Printers escape control characters. */
function holeFor(code: Code): string {
  return `\x01${printed.push(code) - 1}\x02`;
}

/** @throws TypeError if a template receives a value that no printer made */
function codeIn(value: unknown): Code {
  if (value instanceof Code) return value;
  throw new TypeError("a template may print code only");
}

function renderWith(handlebars: (view: Record<string, unknown>) => string): Render {
  return (view) => {
    printed = [];
    const codes = printed;
    const parts = handlebars(view).split(HOLE);
    return new Code(parts.map((part, i) => (i % 2 === 0 ? part : (codes[Number(part)] ?? ""))));
  };
}

const OPTIONS = {
  noEscape: true,
  strict: true,
  knownHelpersOnly: true,
  knownHelpers: { lit: true, ident: true, note: true, expr: true, list: true },
} as const;

/** `templates/` of the package, for the sources and for `.build/`. */
function templateFolder(): string {
  const candidates = ["../../templates", "../../../templates"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return candidates.find((path) => existsSync(join(path, "module.hbs"))) ?? candidates.join(" or ");
}

/**
 * Templates of gwc (""), and for each plugin those with its own: no plugin can include templates of another.
 */
const sets = new Map<string, Templates>();

/**
 * Template of that name in `templates/`, such as "module".
 * @throws RangeError if there is none, which is a fault of the installation
 */
export function template(name: string): Render {
  return templatesFor("").get(name);
}

/**
 * Template of a plugin for a phase: the one next to its definition, or that of gwc which it names. It may include
 * those of `templates/`, and its own as "<plugin>/<stem>".
 * @throws RangeError if there is none
 */
export function pluginTemplate(
  { name, moduleUrl, template }: Pick<PluginDefinition, "name" | "moduleUrl" | "template">,
  phase: StepPhase,
): Render {
  const templates = templatesFor(name);
  templates.load(assetFolder(moduleUrl), `${name}/`);
  return templates.get(`${name}/${phase}`, template);
}

function templatesFor(plugin: string): Templates {
  let templates = sets.get(plugin);
  if (templates === undefined) {
    templates = new Templates();
    templates.load(templateFolder(), "");
    sets.set(plugin, templates);
  }
  return templates;
}

class Templates {
  readonly #handlebars = handlebars().create();
  readonly #renders = new Map<string, Render>();
  readonly #loaded = new Set<string>();

  constructor() {
    for (const [name, print] of Object.entries(PRINTERS))
      this.#handlebars.registerHelper(name, print as Handlebars.HelperDelegate);
  }

  get(name: string, otherwise = name): Render {
    const render = this.#renders.get(name) ?? this.#renders.get(otherwise);
    if (render === undefined)
      throw new RangeError(`no template ${name} in ${[...this.#loaded].join(" or ")}`);
    return render;
  }

  load(folder: string, prefix: string): void {
    if (this.#loaded.has(folder)) return;
    this.#loaded.add(folder);
    for (const file of readdirSync(folder).filter((each) => each.endsWith(".hbs"))) {
      const name = prefix + file.slice(0, -".hbs".length);
      const source = readFileSync(join(folder, file), "utf8");
      this.#handlebars.registerPartial(name, this.#handlebars.compile(source, OPTIONS));
      this.#renders.set(name, renderWith(this.#handlebars.compile(source, OPTIONS)));
    }
  }
}
