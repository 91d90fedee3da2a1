import { serviceContributions } from "../../plugins/control.js";
import type { ServiceContribution, ServiceEnd, ServiceHere, ServiceParts } from "../process/contribution.js";
import { log } from "../process/log.js";
import type { WorkerMetrics } from "./metrics/worker-metrics.js";
import type { ServiceSettings, Settings } from "./settings.js";

export interface ServicesParts extends Pick<ServiceParts, "resolve" | "adminKeys"> {
  table: (plugin: string) => unknown;
  metrics: WorkerMetrics;
}

export class Services {
  readonly #services: { plugin: string; name: string; up: ServiceContribution["up"]; end: ServiceEnd }[] = [];
  readonly #configured: Settings["services"];

  /** @throws StartError */
  constructor(configured: Settings["services"], { metrics, table, ...parts }: ServicesParts) {
    this.#configured = configured;
    for (const [index, { name, plugin, up, open }] of serviceContributions().entries()) {
      const settings = configured[name]?.settings;
      if (settings === undefined) continue;
      const counters = countersOf(metrics, index);
      const end = open({ ...parts, settings, counters, table: () => table(plugin) });
      this.#services.push({ plugin, name, up, end });
    }
  }

  end(plugin: string): ServiceEnd | undefined {
    return this.#services.find((service) => service.plugin === plugin)?.end;
  }

  get summaries(): Record<string, ServiceEnd["summary"]> {
    return Object.fromEntries(this.#services.map(({ name, end }) => [name, end.summary]));
  }

  get levels(): { name: string; help: string; up: boolean }[] {
    return this.#services.map(({ up: { metric, help }, end }) => ({
      name: metric,
      help,
      up: end.summary.up,
    }));
  }

  async listen(runDirectory: string): Promise<void> {
    for (const { end } of this.#services) await end.listen(runDirectory);
  }

  /** Starts all services in this process. @throws StartError after closing those that had started */
  async startHere(configured: Settings["services"]): Promise<Map<string, ServiceHere>> {
    const here = new Map<string, ServiceHere>();
    try {
      for (const { name, end } of this.#services) {
        const { listen } = configured[name] as ServiceSettings;
        here.set(name, await end.startHere(listen));
      }
      return here;
    } catch (error) {
      for (const started of here.values()) await started.close(0);
      throw error;
    }
  }

  async publish(): Promise<void> {
    await Promise.all(this.#services.map(({ end }) => end.publish()));
  }

  /** Adding or removing a service needs a restart. Returns the settings in force. */
  update(configured: Settings["services"]): Settings["services"] {
    for (const { name, plugin } of serviceContributions()) {
      const settings = configured[name]?.settings;
      const end = this.end(plugin);
      if ((settings === undefined) !== (end === undefined)) log("restart_needed", { settings: [name] });
      if (settings !== undefined) void end?.update(settings);
    }
    const inForce = this.#services.map(({ name, end: { settings } }): [string, ServiceSettings] => {
      const started = this.#configured[name] as ServiceSettings;
      return [name, { ...started, settings }];
    });
    return Object.fromEntries(inForce);
  }

  async whenTold(ms: number): Promise<void> {
    await Promise.all(this.#services.map(({ end }) => end.whenTold(ms)));
  }

  close(): void {
    for (const { end } of this.#services) end.close();
  }
}

/** Registers a service as a source of metrics, with a negative index: those of workers start at 0. */
export function countersOf(metrics: WorkerMetrics, index: number): ServiceParts["counters"] {
  const place = -1 - index;
  return {
    joined: (pid, ask) => metrics.joined(place, pid, ask),
    left: (pid) => metrics.left(place, pid),
    reported: (families, number) => metrics.reported(place, families, number),
  };
}
