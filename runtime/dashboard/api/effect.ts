import type { DraftedModules as Drafted, Effect, TrafficChange } from "./answers.gen";
import type { AdminAnswer } from "./client";
import { type PutOptions, put, type WriteAnswer } from "./resources";

export type { Effect, TrafficChange } from "./answers.gen";

/** A request with a changed response; the gateway has simulated both sides. */
export type Example = NonNullable<TrafficChange["example"]>;
export type Outcome = Example["before"];
/** Modules as they would be generated. */
export type DraftedModules = NonNullable<Drafted>;

/**
 * Reads the effect of a write.
 * @throws AdminError if the write would be rejected
 */
export async function readEffect(options: Omit<PutOptions, "dryRun">): Promise<Effect> {
  const { body } = (await put({ ...options, dryRun: "effect" })) as AdminAnswer<
    WriteAnswer & { effect: Effect }
  >;
  return body.effect;
}

/**
 * Reads the modules that a write would generate.
 * @returns null if that would take long
 */
export async function readModules(
  options: Omit<PutOptions, "dryRun" | "of">,
  of: string | undefined,
): Promise<DraftedModules | null> {
  const { body } = (await put({ ...options, dryRun: "module", of })) as AdminAnswer<
    WriteAnswer & { modules: DraftedModules | null }
  >;
  return body.modules;
}
