/** A thread that compares drafts with what runs, one after another. Started by `comparisons.ts`. */
import { parentPort } from "node:worker_threads";
import { messageOf } from "../../runtime/abi/error-message.js";
import { loadPackages } from "../packages/load.js";
import type { NamedPackage } from "../packages/named.js";
import { loadedPackages } from "../packages/outcomes.js";
import { loadPlugins } from "../plugin/registry.js";
import { type Effect, effectOf } from "./compared.js";
import type { Drafted } from "./drafted.js";
import type { Trials } from "./runnable.js";

/** What the thread is asked. */
export interface AskedEffect {
  drafted: Drafted;
  /** Modules that register the plugins there are, as file: URLs. */
  plugins: readonly string[];
  packages: readonly NamedPackage[];
  /** Module that exports `Trials`, as a file: URL. */
  trials: string;
}

export type EffectReply = { effect: Effect } | { fault: string };

let ready: Promise<Trials> | undefined;

async function begin({ plugins, packages, trials }: AskedEffect): Promise<Trials> {
  await loadPlugins(plugins);
  const found = (await import(trials)) as Trials;
  await loadPackages(packages, { tried: true });
  await found.registerPackages(loadedPackages(packages));
  found.withoutNetwork();
  return found;
}

async function answer(asked: AskedEffect): Promise<EffectReply> {
  try {
    ready ??= begin(asked);
    const { trialOf } = await ready;
    const foreign = new Set(loadedPackages(asked.packages).map(({ plugin }) => plugin));
    return { effect: await effectOf(asked.drafted, trialOf, foreign) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

parentPort?.on("message", (asked: AskedEffect) => {
  void answer(asked).then((reply) => parentPort?.postMessage(reply));
});
