import { parseSource } from "../../../compiler/1-parse/parse.js";
import { withoutDuplicates } from "../../../compiler/3-resolve/duplicates.js";
import { Journal } from "../../../compiler/compilation/journal.js";
import { Resolver } from "../../../compiler/compilation/resolver.js";
import { DiagnosticCollector } from "../../../compiler/diagnostics/collector.js";
import type { Diagnostic } from "../../../compiler/model/diagnostic.js";
import type { ResolvedRoute } from "../../../compiler/model/resolved.js";
import { kinds, type Resource } from "../../../compiler/model/resource.js";
import type { Spanned } from "../../../compiler/model/source.js";
import type { UpstreamTable } from "../../../runtime/abi/generation.js";

/** Resources of a YAML configuration; the tests of this folder only write what the schemas accept. */
export function resourcesOf(
  yaml: string,
  from: Resource["from"] = "file",
  name = "gateway.yaml",
): Resource[] {
  const { document, diagnostics } = parseSource({ name, text: yaml, format: "yaml" });
  if (!document) throw new Error(JSON.stringify(diagnostics));
  const { value, spans } = document as Spanned<Record<string, { id?: unknown; username?: string }[]>>;
  return kinds().flatMap((kind) =>
    (value[kind] ?? []).map((resource, index) => ({
      kind,
      id: String(resource.id ?? resource.username),
      from,
      value: resource,
      spans: spans.below([kind, index]),
    })),
  );
}

export interface Resolution {
  routes: ResolvedRoute[];
  disabled: ResolvedRoute[];
  upstreams: UpstreamTable[];
  diagnostics: Diagnostic[];
}

/** Resolves a configuration; plugins whose name starts with "answer" can send local replies. */
export function resolved(...resources: Resource[][]): Resolution {
  const context = { answers: (plugin: string) => plugin.startsWith("answer"), tlsListener: false };
  const resolver = new Resolver(new Journal(), context);
  const findings = new DiagnosticCollector();
  resolver.fill(withoutDuplicates(resources.flat(), findings.report));
  const { upstreams, services, plugin_configs, routes } = resolver.affected(undefined);
  const tables = [...upstreams].map((id) => resolver.upstream(id, findings.report));
  for (const id of plugin_configs) resolver.standalone("plugin_configs", id);
  for (const id of services) resolver.service(id, findings.report);
  const all = [...routes].sort().flatMap((id) => resolver.route(id, findings.report) ?? []);
  resolver.rules(findings.report);
  resolver.reportWhole(findings);
  return {
    routes: all.flatMap(({ route, enabled }) => (enabled ? [route] : [])),
    disabled: all.flatMap(({ route, enabled }) => (enabled ? [] : [route])),
    upstreams: [...tables, ...all.map(({ table }) => table)].filter((table) => table !== undefined),
    diagnostics: findings.sorted(),
  };
}

/** Returns diagnostics as "CODE line message". */
export function reported({ diagnostics }: Pick<Resolution, "diagnostics">): string[] {
  return diagnostics.map(({ code, span, message }) => `${code} ${span?.start.line ?? "-"} ${message}`);
}
