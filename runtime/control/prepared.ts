/**
 * Reply of workers about a generation. `isUnjudged`: no worker has checked it. `exhausted`: no generation can
 * be loaded now; without a `worker` there was none to query.
 */
export type Prepared =
  | { ok: true; isUnjudged?: true }
  | { ok: false; worker?: number; reason: string; code?: string; exhausted?: boolean };

/** Combines replies: a rejected generation takes precedence over a worker that cannot load any. */
export function verdictOf(answers: readonly Prepared[], asked: "prepare" | "attempt"): Prepared {
  const refusals = answers.filter((answer) => !answer.ok);
  const refused = refusals.find(({ exhausted }) => !exhausted) ?? refusals[0];
  if (refused) return refused;
  if (answers.some((answer) => answer.ok && !answer.isUnjudged)) return { ok: true };
  if (asked === "prepare") return { ok: true, isUnjudged: true };
  return { ok: false, reason: "no worker serves the live generation", exhausted: true };
}
