import {
  type BodyFilterRule,
  type Code,
  type Condition,
  type ConfigPath,
  type FilterRule,
  type Flow,
  flowText,
  type HeaderAction,
  type PluginPrinter,
  type Sources,
} from "../../compiler/plugin-api.js";

const SOURCES: Sources = {
  maxBytes: ["max_resp_body_size"],
  syncBytes: ["filters"],
  oversize: ["on_oversize"],
};
const DEFAULT_MAX_BYTES = 67_108_864;

export function responseRewriteView(
  data: ResponseRewriteData,
  printer: PluginPrinter,
): Record<string, unknown> {
  return {
    status: data.status === null ? null : printer.from(["status_code"], printer.literal(data.status)),
    body: data.body === null ? null : printer.from(["body"], printer.bytes(data.body, "body")),
    bodyFilter: data.filters.length === 0 ? null : printer.from(["filters"], bodyFilter(data, printer)),
    headers: printer.headers(data.headers, printer.code`x.response`, "append", keepsBody(data)),
  };
}

/** A changed body sets aside the headers that describe it. */
const keepsBody = ({ body, filters }: ResponseRewriteData) => body === null && filters.length === 0;

/** `const rewriteBody = filter([{ pattern, replacement }, …], { … });`; the runtime's defaults are omitted. */
function bodyFilter(data: ResponseRewriteData, printer: PluginPrinter): Code {
  const streams = data.filters.every(({ flow }) => flow.mode === "stream");
  const replacements = data.filters.map((rule) => replaceOf(rule, printer));
  const options: Record<string, string | number> = {};
  if (data.maxBytes !== null && (streams || data.maxBytes !== DEFAULT_MAX_BYTES))
    options.maxBytes = data.maxBytes;
  if (data.syncBytes !== undefined && data.syncBytes < (data.maxBytes ?? DEFAULT_MAX_BYTES))
    options.syncBytes = data.syncBytes;
  if (data.oversize !== "refuse") options.oversize = data.oversize;
  return printer.constant(
    "rewriteBody",
    printer.from(["filters"], printer.bodyFilter(replacements, options, SOURCES)),
  );
}

function replaceOf(rule: FilterRule, printer: PluginPrinter): BodyFilterRule {
  const { flow, origin, replacement, regex, scope } = rule;
  const note = `${origin}, ${scope}; ${flowText(flow)}`;
  const pattern = printer.regex("bodyPattern", asReplaced(rule), note);
  const utf8 = rule.utf8 ?? regex.utf8;
  const own = { pattern: printer.from(origin, pattern), replacement, utf8 };
  if (flow.mode === "hold") return { ...own, slide: null };
  const trailingRun =
    flow.run === null
      ? null
      : printer.regex(
          `${pattern.text}Run`,
          plainRegex(flow.run, "y"),
          `the run that ends a match of ${pattern.text}`,
        );
  return {
    ...own,
    slide: {
      window: flow.window,
      lookbehind: flow.behind,
      trailingRun,
      partial: partialOf(rule, flow, pattern, printer),
    },
  };
}

/** `replace` needs the flag g to replace all matches. */
function asReplaced(rule: FilterRule): FilterRule["regex"] {
  return rule.scope === "once" ? rule.regex : { ...rule.regex, flags: `g${rule.regex.flags}` };
}

function partialOf(
  { regex }: FilterRule,
  { partial }: Flow & { mode: "stream" },
  pattern: Code,
  printer: PluginPrinter,
): { pattern: Code; pad: number } | null {
  if (partial === null) return null;
  const flags = regex.flags.includes("y") ? "y" : "g";
  const note = `where a match of ${pattern.text} is open: \\u0100 is a byte that has not come`;
  return {
    pattern: printer.regex(`${pattern.text}Partial`, plainRegex(partial.source, flags), note),
    pad: partial.pad,
  };
}

function plainRegex(source: string, flags: string): FilterRule["regex"] {
  const judged = { engine: "backtracking", cost: "linear: one way to match" } as const;
  return { pattern: source, options: "", source, flags, utf8: false, ...judged };
}

/** Order of effect: vars, status, body or filters, headers. */
export interface ResponseRewriteData {
  /** Condition for the whole step with its body; it reads the upstream's status. */
  vars: Condition | null;
  varsOrigin: ConfigPath | null;
  status: number | null;
  /** Byte string, decoded from base64. */
  body: string | null;
  filters: FilterRule[];
  /** Absent if it equals the limit of all filters. */
  syncBytes?: number;
  /** Larger bodies are rejected or passed unfiltered. null: not set, so 64 MiB for filters that buffer the body. */
  maxBytes: number | null;
  oversize: "refuse" | "pass";
  headers: HeaderAction[];
}
