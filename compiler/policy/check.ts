import { valueAt } from "../1-parse/values.js";
import { isListed, isLoopback, listenersOf, shown } from "../3-resolve/listeners.js";
import { upstreamNodes } from "../3-resolve/upstream.js";
import type { UpstreamValue } from "../3-resolve/values.js";
import { diagnostic, type Params } from "../diagnostics/report.js";
import type { Diagnostic, Report, Span } from "../model/diagnostic.js";
import { type Resource, singular } from "../model/resource.js";
import type { Path, Spanned } from "../model/source.js";
import { locationsOf, type SourceLocations } from "../model/source-locations.js";
import { pluginNames } from "../plugin/registry.js";
import { isAlwaysIn, isVariable, isWithin, mayBeIn, overlap } from "./node-hosts.js";
import { type Policy, refusalBy } from "./policy.js";

interface PluginUse {
  plugin: string;
  path: Path;
}

/** Sections of the gateway itself. `plugin_attr` names plugins but does not use them. */
const OWN: ReadonlySet<string> = new Set(["gw", "deployment", "plugin_attr"]);

/** Finds the plugin of a section (`captcha`), and plugins that it uses (`captcha.audit.syslog`). */
function pluginsOfSections(deployment: Record<string, unknown> | null): PluginUse[] {
  const known = new Set(pluginNames());
  const found: PluginUse[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (path.length === 0 && OWN.has(name)) continue;
      if (known.has(name) && typeof member === "object") found.push({ plugin: name, path: [...path, name] });
      visit(member, [...path, name]);
    }
  };
  visit(deployment, []);
  return found;
}

function breach(code: string, span: Span | undefined, params: Params, by: Span): Diagnostic {
  return diagnostic(code, span, params, { notes: [{ message: "rule of the policy", span: by }] });
}

/**
 * Checks packages that files name, listeners and plugins.
 * @param deployment undefined if a setting is faulty, so that none is checked
 */
export function checkDocuments(
  policy: Policy,
  documents: readonly Spanned[],
  deployment: Record<string, unknown> | null | undefined,
  report: Report,
): void {
  for (const { value, spans } of documents) {
    const names = (value as { plugins?: unknown } | null)?.plugins;
    if (!Array.isArray(names)) continue;
    for (const [i, name] of names.entries())
      checkPackage(policy, String(name), spans.value(["plugins", i]), report);
  }
  if (deployment !== undefined) checkSettings(policy, documents, deployment, report);
}

export function checkSettings(
  policy: Policy,
  documents: readonly Spanned[],
  deployment: Record<string, unknown> | null,
  report: Report,
): void {
  checkDeployment(policy, deployment, (path) => placeIn(documents, path), report);
}

export function checkPackage(policy: Policy, name: string, span: Span | undefined, report: Report): void {
  const by = refusalBy(policy, "packages", name);
  if (by) report(breach("GW9002", span, { package: name }, by));
}

/** @param place returns undefined for a default */
export function checkDeployment(
  policy: Policy,
  deployment: Record<string, unknown> | null,
  place: (path: Path) => Span | undefined,
  report: Report,
): void {
  for (const { plugin, path } of pluginsOfSections(deployment)) {
    const by = refusalBy(policy, "plugins", plugin);
    const params = { kind: "setting", id: path.join("."), plugin };
    if (by) report(breach("GW9001", place(path), params, by));
  }
  const { value, spans } = policy;
  const { allow, tls } = value.listeners ?? {};
  for (const listener of listenersOf(deployment)) {
    const params = { setting: listener.setting, address: shown(listener) };
    if (allow && !allow.some((entry) => isListed(listener, entry)))
      report(breach("GW9006", place(listener.path), params, spans.key(["listeners", "allow"])));
    if (tls === "required" && listener.open && !isLoopback(listener.address))
      report(breach("GW9007", place(listener.path), params, spans.value(["listeners", "tls"])));
  }
}

function placeIn(documents: readonly Spanned[], path: Path): Span | undefined {
  const document = documents.find(({ value }) => valueAt(value, path) !== undefined);
  return document?.spans.value(path);
}

/** @param serviceOf returns the service of a route, which may hold its hosts */
export function checkResource(
  policy: Policy,
  resource: Resource,
  serviceOf: (id: string) => Resource | undefined,
  report: Report,
): void {
  const { kind, id, spans } = resource;
  const value = (resource.value ?? {}) as Record<string, unknown>;
  const params = { kind: singular(kind), id };
  if (kind !== "plugin_metadata" && typeof value["plugins"] === "object" && value["plugins"] !== null)
    for (const plugin of Object.keys(value["plugins"])) {
      const by = refusalBy(policy, "plugins", plugin);
      if (by) report(breach("GW9001", spans.key(["plugins", plugin]), { ...params, plugin }, by));
    }
  if (kind === "routes") checkHosts(policy, resource, serviceOf, report);
  const path: Path = kind === "upstreams" ? [] : ["upstream"];
  const upstream = (kind === "upstreams" ? value : value["upstream"]) as UpstreamValue | undefined;
  if (upstream?.nodes === undefined) return;
  for (const { path: at, node } of upstreamNodes(
    upstream.nodes,
    upstream.scheme === "https" ? "https" : "http",
  )) {
    const { host } = node;
    const by = refusalBy(policy, "upstreams", host, {
      allow: (entry) => isAlwaysIn(host, entry),
      deny: (entry) => mayBeIn(host, entry),
    });
    const code = isVariable(host) ? "GW9009" : "GW9004";
    if (by) report(breach(code, spans.key([...path, ...at]), { ...params, node: host }, by));
  }
}

function checkHosts(
  policy: Policy,
  { id, value, spans }: Resource,
  serviceOf: (id: string) => Resource | undefined,
  report: Report,
): void {
  if (policy.value.hosts === undefined) return;
  const {
    host,
    hosts,
    service_id: serviceId,
  } = value as {
    host?: string;
    hosts?: string[];
    service_id?: string | number;
  };
  const service = serviceId === undefined ? undefined : serviceOf(String(serviceId));
  const own = host === undefined ? hosts : [host];
  const taken = own ?? (service?.value as { hosts?: string[] } | undefined)?.hosts ?? ["*"];
  const place = own === undefined ? spans.value([]) : spans.value([host === undefined ? "hosts" : "host"]);
  for (const spelling of taken) {
    const pattern = spelling.toLowerCase().replace(/(?<=[^*])\.$/, "");
    const fits = {
      allow: (entry: string) => isWithin(pattern, entry),
      deny: (entry: string) => overlap(pattern, entry),
    };
    const by = refusalBy(policy, "hosts", pattern, fits);
    if (by) report(breach("GW9003", place, { id, host: pattern === "*" ? "any host" : `"${pattern}"` }, by));
  }
}

/** Finds patterns wherever a plugin has put them. */
export function checkPatterns(
  { value, spans }: Policy,
  part: unknown,
  places: SourceLocations,
  report: Report,
): void {
  const { regex } = value;
  if (regex === undefined) return;
  const visit = (node: unknown, above: string): void => {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      for (const item of node) visit(item, above);
      return;
    }
    const fields = node as Record<string, unknown>;
    const origin = typeof fields["origin"] === "string" ? fields["origin"] : above;
    const { engine, pattern, flow } = fields;
    if (
      typeof engine === "string" &&
      typeof pattern === "string" &&
      regex.engines?.includes(engine) === false
    )
      report(
        breach(
          "GW9005",
          places.span(origin),
          { pattern, what: `runs on ${engine}` },
          spans.key(["regex", "engines"]),
        ),
      );
    if (regex.hold === false && (flow as { mode?: unknown } | undefined)?.mode === "hold") {
      const held = (fields["regex"] as { pattern?: string } | undefined)?.pattern ?? "";
      report(
        breach(
          "GW9005",
          places.span(origin),
          { pattern: held, what: "holds the body" },
          spans.value(["regex", "hold"]),
        ),
      );
    }
    for (const child of Object.values(fields)) visit(child, origin);
  };
  visit(part, "");
}

/** @param plan the whole plan, or its parts */
export function checkPlanPolicy(
  policy: Policy,
  resources: readonly Resource[],
  plan: unknown,
  report: Report,
): void {
  const services = new Map(resources.filter(({ kind }) => kind === "services").map((one) => [one.id, one]));
  for (const resource of resources) checkResource(policy, resource, (id) => services.get(id), report);
  checkPatterns(policy, plan, locationsOf(resources), report);
}
