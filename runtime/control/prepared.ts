/**
 * Answer of workers about a generation. `isUnjudged`: nothing speaks against it, since none has answered. `exhausted`: it cannot be taken
 * now, whatever it is; without a `worker` there was none to ask.
 */
export type Prepared =
  | { ok: true; isUnjudged?: true }
  | { ok: false; worker?: number; reason: string; code?: string; exhausted?: boolean };

/** Takes answers together: one that refuses the generation itself says more than one that cannot take any. */
export function verdictOf(answers: readonly Prepared[], asked: "prepare" | "attempt"): Prepared {
  const refusals = answers.filter((answer) => !answer.ok);
  const refused = refusals.find(({ exhausted }) => !exhausted) ?? refusals[0];
  if (refused) return refused;
  if (answers.some((answer) => answer.ok && !answer.isUnjudged)) return { ok: true };
  if (asked === "prepare") return { ok: true, isUnjudged: true };
  return { ok: false, reason: "none serves the live generation", exhausted: true };
}
