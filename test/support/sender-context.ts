import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import type { ResourceContext } from "../../runtime/abi/resource.js";

/**
 * Context that a worker passes to its sinks, with their reports and metrics. Secrets are resolved to
 * "secret:<value>".
 */
export class SenderContext implements ResourceContext {
  readonly metrics = new MetricsRegistry();
  readonly reports: { event: string; fields: Record<string, string | number | undefined> }[] = [];
  readonly worker = 0;
  readonly spoolDirectory = undefined;

  secret(reference: string): string | undefined {
    return reference.startsWith("secret:") ? reference.slice("secret:".length) : undefined;
  }

  readonly report: ResourceContext["report"] = (event, fields) => {
    this.reports.push({ event, fields });
  };
}

/** Encodes a text as the byte string of its UTF-8. */
export const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");

/** 0, 1, … count - 1. */
export const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
