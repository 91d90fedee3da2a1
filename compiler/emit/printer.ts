import { Code, type PluginPrinter } from "../plugins/plugin.js";
import { bodyFilterCode } from "./body-filter.js";
import { headerView } from "./headers.js";
import { printCall } from "./layout.js";
import { printLiteral, printRegex } from "./printers.js";
import type { ModuleScope } from "./scope.js";
import { targetCode } from "./text.js";

/** The printer of one step, whose lines may take `width` columns. */
export function pluginPrinter(scope: ModuleScope, width: number): PluginPrinter {
  return {
    literal: (value) => new Code(printLiteral(value)),
    bytes: (value, name) => scope.namedBytes(value, name),
    target: (template, raw) => targetCode(template, raw, scope),
    headers: (actions, owner, add) => headerView(actions, owner, add, scope, width),
    regex: (base, { source, flags }, note) => scope.numbered(base, printRegex(source, flags), note),
    constant: (name, value, note) => scope.constant(name, value.text, note ?? null),
    bodyFilter: (rules, options) => new Code(bodyFilterCode(rules, options, scope)),
    imported: (name) => scope.imported(name),
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
