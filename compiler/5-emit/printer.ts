import { withoutDefaults } from "../../runtime/abi/defaults.js";
import { below, settingsOf } from "../model/config-path.js";
import type { ConfigPath } from "../model/plan.js";
import { Code, type PluginPrinter, type Sources } from "../plugin/definition.js";
import { findPlugin } from "../plugin/registry.js";
import { bodyFilterCode } from "./body-filter.js";
import { headerView } from "./headers.js";
import { printCall, WIDTH } from "./layout.js";
import { dataCode, objectCode } from "./object.js";
import { patternCode, patternNote } from "./pattern.js";
import { printLiteral, printProperty } from "./printers.js";
import { recordCode, textOfCode } from "./record.js";
import { type ModuleScope, pluginModule, RUNTIME } from "./scope.js";
import { SettingSources } from "./setting-sources.js";
import { leadingTags } from "./tag.js";
import { joinedCode, targetCode } from "./text.js";

/**
 * Columns of `const syslogTo10_0_4_7 = syslog(` and the end of the call, for the object of a shared resource.
 */
const DECLARATION = 34;

/**
 * Printer of one step of a plugin, whose lines may take `width` columns.
 * @param origin config path of the settings, or of a part of them
 */
export function pluginPrinter(
  scope: ModuleScope,
  width: number,
  plugin: string,
  origin: ConfigPath,
): PluginPrinter {
  const settings = settingsOf(origin);
  const madeFrom = (sources?: Sources) => new SettingSources(scope, settings, sources);
  return {
    from: (part, { text }) =>
      new Code(scope.from(typeof part === "string" ? part : below(settings, part), text)),
    literal: (value) => new Code(printLiteral(value)),
    bytes: (value, name) => scope.namedBytes(value, name),
    target: (template, raw) => targetCode(template, raw, scope),
    joined: (parts) => joinedCode(parts, scope),
    headers: (actions, owner, add) => headerView(actions, owner, add, scope, width),
    regex: (base, regex, note) => scope.numbered(base, patternCode(regex, scope), patternNote(note, regex)),
    constant: (name, value, note) => scope.constant(name, value.text, note ?? null),
    bodyFilter: (rules, options, sources) =>
      new Code(bodyFilterCode(rules, options, scope, madeFrom(sources))),
    imported: (name) => scope.imported(name, hasCall(plugin, name) ? pluginModule(plugin) : RUNTIME),
    resource: () => scope.resources.get(plugin) ?? new Code("undefined"),
    data: (value, sources) => new Code(dataCode(value, madeFrom(sources))),
    settings: (values, defaults, sources) =>
      Object.entries(withoutDefaults(values, defaults)).map(([name, value]) => [
        name,
        new Code(dataCode(value, madeFrom(sources).member(name))),
      ]),
    shared: (name, { text }, declare) =>
      scope.shared(name, text, () => (declare === undefined ? text : `${declare.text}(${text})`)),
    object: (fields, sources) =>
      new Code(
        objectCode(
          fields.map(([name, { text }]) => [
            printProperty(name),
            leadingTags(text) === "" ? madeFrom(sources).member(name).tagged(text) : text,
          ]),
          WIDTH - DECLARATION,
        ),
      ),
    record: (fields, maker, path) =>
      new Code(recordCode(fields, maker?.text, scope, path && below(settings, path))),
    textOf: (text) => new Code(textOfCode(text, scope)),
    call: (callee, args) =>
      new Code(
        printCall(
          callee.text,
          args.map((arg) => arg.text),
          width - 24,
        ),
      ),
    code: (strings, ...holes) => new Code(String.raw({ raw: strings }, ...holes.map((hole) => hole.text))),
  };
}

function hasCall(plugin: string, name: string): boolean {
  return Object.hasOwn(findPlugin(plugin)?.exports ?? {}, name);
}
