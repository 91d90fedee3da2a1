import { parseSource } from "../1-parse/parse.js";
import { check } from "../2-validate/check.js";
import { nearest } from "../diagnostics/nearest.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
import type { NamedPackage } from "../model/package.js";
import type { Path, SourceText, Spans } from "../model/source.js";
import { pluginNames } from "../plugin/registry.js";

interface Lists {
  allow?: string[];
  deny?: string[];
}

/** Value of `schema/policy.json`. */
interface PolicyValue {
  plugins?: Lists;
  packages?: Lists;
  hosts?: Lists;
  upstreams?: Lists;
  regex?: { engines?: string[]; hold?: boolean };
  listeners?: { allow?: string[]; tls?: "required" };
}

export interface Policy {
  value: PolicyValue;
  spans: Spans;
}

/** @returns policy undefined, with diagnostics, if the text is no policy */
export function readPolicy(source: SourceText): { policy: Policy | undefined; diagnostics: Diagnostic[] } {
  const { document, diagnostics } = parseSource(source);
  if (document === undefined) return { policy: undefined, diagnostics };
  const found = [
    ...diagnostics,
    ...check("policy.json", { located: document, root: "policy", errorPrefix: "" }),
  ];
  const policy = { value: document.value as PolicyValue, spans: document.spans };
  return found.length > 0
    ? { policy: undefined, diagnostics: found }
    : { policy, diagnostics: unknownPlugins(policy) };
}

/** Returns the packages whose code may be loaded. All if the policy is unreadable, since nothing runs then. */
export function permitted(named: readonly NamedPackage[], source: SourceText | undefined): NamedPackage[] {
  const policy = source && readPolicy(source).policy;
  return named.filter(
    ({ name }) => policy === undefined || refusalBy(policy, "packages", name) === undefined,
  );
}

/**
 * Rule that forbids a name: the entry of "deny", or the list "allow" that does not have it.
 * @param fits reports whether an entry means the name. Default: it is equal
 */
export function refusalBy(
  { value, spans }: Policy,
  section: "plugins" | "packages" | "hosts" | "upstreams",
  name: string,
  fits: { allow(entry: string): boolean; deny(entry: string): boolean } = sameAs(name),
): Span | undefined {
  const { allow, deny = [] } = value[section] ?? {};
  const denied = deny.findIndex((entry) => fits.deny(entry));
  if (denied >= 0) return spans.value([section, "deny", denied]);
  return allow === undefined || allow.some((entry) => fits.allow(entry))
    ? undefined
    : spans.key([section, "allow"]);
}

function sameAs(name: string) {
  const same = (entry: string) => entry === name;
  return { allow: same, deny: same };
}

/** A rule for an unknown plugin has no effect, and is most likely misspelt. */
function unknownPlugins({ value, spans }: Policy): Diagnostic[] {
  const known = pluginNames();
  return (["allow", "deny"] as const).flatMap((list) =>
    (value.plugins?.[list] ?? []).flatMap((name, i) => {
      if (known.includes(name)) return [];
      const near = nearest(name, known);
      const path: Path = ["plugins", list, i];
      const help = near === undefined ? {} : { help: `did you mean "${near}"?` };
      return [diagnostic("GW9008", spans.value(path), { plugin: name }, help)];
    }),
  );
}
