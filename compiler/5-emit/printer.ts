import { withoutDefaults } from "../../runtime/abi/defaults.js";
import { below, settingsOf } from "../model/config-path.js";
import type { ConfigPath } from "../model/plan.js";
import { Code, code, from } from "../plugin/code.js";
import type { PluginPrinter, Sources } from "../plugin/definition.js";
import { findPlugin } from "../plugin/registry.js";
import { bodyFilterCode } from "./body-filter.js";
import { headerView } from "./headers.js";
import { printCall, WIDTH } from "./layout.js";
import { dataCode, objectCode } from "./object.js";
import { patternCode, patternNote } from "./pattern.js";
import { literalCode, printProperty } from "./printers.js";
import { recordCode, textOfCode } from "./record.js";
import { type ModuleScope, pluginModule, RUNTIME } from "./scope.js";
import { SettingSources } from "./setting-sources.js";
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
  const madeFrom = (sources?: Sources) => new SettingSources(settings, sources);
  return {
    from: (part, inside) => from(typeof part === "string" ? part : below(settings, part), inside),
    literal: literalCode,
    bytes: (value, name) => scope.namedBytes(value, name),
    target: (template, raw) => targetCode(template, raw, scope),
    joined: (parts) => joinedCode(parts, scope),
    headers: (actions, owner, add, isFirst = false) => headerView(actions, owner, add, scope, width, isFirst),
    regex: (base, regex, note) => scope.constant(base, patternCode(regex, scope), patternNote(note, regex)),
    constant: (name, value, note) => scope.constant(name, value, note ?? null),
    bodyFilter: (rules, options, sources) => bodyFilterCode(rules, options, scope, madeFrom(sources)),
    imported: (name) => scope.imported(name, hasCall(plugin, name) ? pluginModule(plugin) : RUNTIME),
    resource: () => scope.resources.get(plugin) ?? new Code("undefined"),
    data: (value, sources) => dataCode(value, madeFrom(sources)),
    settings: (values, defaults, sources) =>
      Object.entries(withoutDefaults(values, defaults)).map(([name, value]) => [
        name,
        dataCode(value, madeFrom(sources).member(name)),
      ]),
    shared: (name, value, declare) =>
      scope.shared(name, value, () => (declare === undefined ? value : code`${declare}(${value})`)),
    object: (fields, sources) =>
      objectCode(
        fields.map(([name, value]) => [
          new Code(printProperty(name)),
          value.path === undefined ? madeFrom(sources).member(name).tagged(value) : value,
        ]),
        WIDTH - DECLARATION,
      ),
    record: (fields, maker, path) =>
      recordCode(fields, maker ?? undefined, scope, path && below(settings, path)),
    textOf: (text) => textOfCode(text, scope),
    call: (callee, args) => printCall(callee, args, width - 24),
    code,
  };
}

function hasCall(plugin: string, name: string): boolean {
  return Object.hasOwn(findPlugin(plugin)?.exports ?? {}, name);
}
