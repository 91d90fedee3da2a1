import type { MetricFamily } from "../abi/metrics.js";
import type {
  Contribution,
  PluginAttention,
  ResourceContribution,
  ServiceContribution,
} from "./contribution.js";

/** Names of the gateway's own processes, listeners and sections, which no service may have. */
const OWN = ["control", "worker", "data", "admin", "status", "metrics", "gw", "deployment", "plugin_attr"];

const known = new Map<string, Contribution>();

/** @throws Error if the contribution collides with another one, or with the gateway itself */
export function registerContribution(contribution: Contribution): void {
  const { plugin, service, resources = [] } = contribution;
  if (known.has(plugin)) throw new Error(`two plugins are called ${plugin}`);
  if (service && OWN.includes(service.name))
    throw new Error(`plugin ${plugin}: the service ${service.name} has a name that gwc reserves`);
  for (const other of known.values()) {
    const both = `plugins ${other.plugin} and ${plugin} both have`;
    if (service && other.service?.name === service.name)
      throw new Error(`${both} a service called ${service.name}`);
    for (const { kind, path } of resources)
      for (const taken of other.resources ?? []) {
        if (taken.kind === kind) throw new Error(`${both} resources called ${kind}`);
        if (taken.path === path) throw new Error(`${both} resources under ${path}`);
      }
  }
  known.set(plugin, contribution);
}

export function serviceContributions(): (ServiceContribution & { plugin: string })[] {
  return [...known.values()].flatMap(({ plugin, service }) => (service ? [{ ...service, plugin }] : []));
}

export function resourceContributions(): (ResourceContribution & { plugin: string })[] {
  return [...known.values()].flatMap(({ plugin, resources = [] }) =>
    resources.map((resource) => ({ ...resource, plugin })),
  );
}

/** Returns the warnings of all plugins. @param now epoch seconds */
export const pluginAttention = (families: readonly MetricFamily[], now: number): PluginAttention[] =>
  [...known.values()].flatMap((contribution) => contribution.attention?.(families, now) ?? []);

/** Reports whether a secret belongs to a service, so that workers do not receive it. */
export function isOfService(reference: string): boolean {
  return serviceContributions().some(({ name }) => reference.startsWith(`${name}:`));
}
