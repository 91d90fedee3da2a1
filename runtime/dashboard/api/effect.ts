import type { DraftedModules as Drafted, Effect, TrafficChange } from "./answers.gen";
import type { AdminAnswer } from "./client";
import { type PutOptions, put, type WriteAnswer } from "./resources";

export type { Effect, TrafficChange } from "./answers.gen";

/** A route as effects name it. */
export type NamedRoute = Effect["routes"]["list"][number];
/** A request that is answered otherwise: the gateway has run both. */
export type Example = NonNullable<TrafficChange["example"]>;
export type Outcome = Example["before"];
/** Generated modules as they would be. */
export type DraftedModules = NonNullable<Drafted>;

/** Asks what a write would change. @throws AdminError for one that would be refused */
export async function readEffect(options: Omit<PutOptions, "dryRun">): Promise<Effect> {
  const { body } = (await put({ ...options, dryRun: "effect" })) as AdminAnswer<
    WriteAnswer & { effect: Effect }
  >;
  return body.effect;
}

/** Asks that of one of them. @returns null where it would take long */
export async function readModules(
  options: Omit<PutOptions, "dryRun" | "of">,
  of: string | undefined,
): Promise<DraftedModules | null> {
  const { body } = (await put({ ...options, dryRun: "module", of })) as AdminAnswer<
    WriteAnswer & { modules: DraftedModules | null }
  >;
  return body.modules;
}
