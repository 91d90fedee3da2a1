import type { Code, PluginPrinter } from "./plugin.js";
import type { FilterRule, ResponseRewriteData } from "./response-rewrite.js";

const DEFAULT_MAX_BYTES = 67_108_864;

/** What `templates/plugins/response-rewrite.headerFilter.hbs` prints. */
export function responseRewriteView(
  data: ResponseRewriteData,
  printer: PluginPrinter,
): Record<string, unknown> {
  return {
    status: data.status,
    body: data.body === null ? null : printer.bytes(data.body, "body"),
    bodyFilter: data.filters.length === 0 ? null : bodyFilter(data, printer),
    headers: printer.headers(data.headers, printer.code`x.response`, "append"),
  };
}

/** `const rewriteBody = filter((text) => text.replace(…), { … });`; options that equal the runtime's are not printed. */
function bodyFilter(data: ResponseRewriteData, printer: PluginPrinter): Code {
  const replacements = data.filters.map((rule, i) => ({
    pattern: printer.regex(
      "filter",
      asReplaced(rule),
      `${rule.origin} response-rewrite.filters[${i}], ${rule.scope}`,
    ),
    replacement: rule.replacement,
    utf8: rule.regex.utf8,
  }));
  const options: Record<string, string | number> = {};
  if (data.maxBytes !== DEFAULT_MAX_BYTES) options.maxBytes = data.maxBytes;
  if (data.oversize !== "refuse") options.oversize = data.oversize;
  return printer.constant("rewriteBody", printer.bodyFilter(replacements, options));
}

/** `replace` needs the flag g to replace all matches. */
function asReplaced(rule: FilterRule): FilterRule["regex"] {
  return rule.scope === "once" ? rule.regex : { ...rule.regex, flags: `g${rule.regex.flags}` };
}
