import { environmentReferences, resolvedText } from "../../runtime/abi/environment.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import type { ResourceContext } from "../../runtime/abi/resource.js";
import { type GenerationsOptions, HostedGenerations } from "../../runtime/proxy/host/generations.js";
import { SharedResources } from "../../runtime/proxy/host/shared-resources.js";

interface Options extends Omit<GenerationsOptions, "resources"> {
  context?: Partial<ResourceContext>;
}

/** Generations of a process that offers nothing: secrets are environment references only. */
export function hostedGenerations(options: Options = {}): HostedGenerations {
  const { environment = process.env, context, ...others } = options;
  const resources = new SharedResources({
    secret: (reference) =>
      environmentReferences(reference).length > 0 ? resolvedText(reference, environment) : undefined,
    report: () => {},
    metrics: new MetricsRegistry(),
    worker: 0,
    spoolDirectory: undefined,
    ...context,
  });
  return new HostedGenerations({ environment, resources, ...others });
}
