/** Compares drafts one after another. `comparisons.ts` starts it. */

import { parentPort } from "node:worker_threads";
import { messageOf } from "../../runtime/abi/error-message.js";
import type { NamedPackage } from "../model/package.js";
import { loadPackages } from "../packages/load.js";
import { loadedPackages } from "../packages/outcomes.js";
import { loadPlugins } from "../plugin/registry.js";
import { draftEffect, type Effect } from "./compared.js";
import type { Drafted } from "./drafted.js";
import type { Simulators } from "./simulator.js";

export interface EffectInput {
  drafted: Drafted;
  plugins: readonly string[];
  packages: readonly NamedPackage[];
  /** File: URL of the module that exports `Simulators`. */
  trials: string;
}

export type EffectReply = { effect: Effect } | { fault: string };

let ready: Promise<Simulators> | undefined;

async function begin({ plugins, packages, trials }: EffectInput): Promise<Simulators> {
  await loadPlugins(plugins);
  const found = (await import(trials)) as Simulators;
  await loadPackages(packages, { tried: true });
  await found.registerPackages(loadedPackages(packages));
  found.withoutNetwork();
  return found;
}

async function answer(asked: EffectInput): Promise<EffectReply> {
  try {
    ready ??= begin(asked);
    const { createSimulator } = await ready;
    const foreign = new Set(loadedPackages(asked.packages).map(({ plugin }) => plugin));
    return { effect: await draftEffect(asked.drafted, createSimulator, foreign) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

parentPort?.on("message", (asked: EffectInput) => {
  void answer(asked).then((reply) => parentPort?.postMessage(reply));
});
