import type { DraftedModules as Drafted, Effect, TrafficChange } from "./answers.gen";
import type { AdminAnswer } from "./client";
import { type PutOptions, put, type WriteAnswer } from "./resources";

export type { Effect, TrafficChange } from "./answers.gen";

/** A request with a changed response; the gateway has simulated both sides. */
export type Example = NonNullable<TrafficChange["example"]>;
export type Outcome = Example["before"];
export type DraftedModules = NonNullable<Drafted>;

/** @throws AdminError if the write would be rejected */
export async function readEffect(options: Omit<PutOptions, "dryRun">): Promise<Effect> {
  const { body } = (await put({ ...options, dryRun: "effect" })) as AdminAnswer<
    WriteAnswer & { effect: Effect }
  >;
  return body.effect;
}

/** Returns null if generating the modules would take long. */
export async function readModules(
  options: Omit<PutOptions, "dryRun" | "of">,
  of: string | undefined,
): Promise<DraftedModules | null> {
  const { body } = (await put({ ...options, dryRun: "module", of })) as AdminAnswer<
    WriteAnswer & { modules: DraftedModules | null }
  >;
  return body.modules;
}
