import type { PluginAttention } from "../../process/contribution.js";

/** Kind for programs, which may have their own texts. */
export type AttentionKind =
  | ("not_ready" | "impaired" | "read_only" | "reload_refused" | "service_down" | "route_quarantined")
  | ("server_errors" | "node_out" | "node_failing" | "spool_filling" | "log_entries_dropped")
  | ("certificate_expires" | "findings" | PluginAttention["kind"]);

export interface Attention extends Omit<PluginAttention, "kind"> {
  kind: AttentionKind;
  /** Number of items of this kind; only the most important ones are listed. */
  of: number;
}

/** Maximum items of one kind: a network outage may affect thousands of nodes. */
const MAX_OF_A_KIND = 10;

/** Order within one severity: data loss, not serving, failing, filling up, upcoming. */
const ORDER: Readonly<Partial<Record<AttentionKind, number>>> = {
  log_entries_dropped: 0,
  ...{ not_ready: 1, service_down: 1, route_quarantined: 1 },
  ...{ spool_filling: 3, certificate_expires: 4, findings: 5 },
};
/** Rank of failing nodes, responses and reloads, and of items of plugins. */
const FAILS = 2;

export function inOrder(all: readonly Omit<Attention, "of">[]): Attention[] {
  const kinds = new Map<AttentionKind, Omit<Attention, "of">[]>();
  for (const one of all) {
    const known = kinds.get(one.kind);
    if (known) known.push(one);
    else kinds.set(one.kind, [one]);
  }
  const weight = (one: Omit<Attention, "of">): number =>
    (one.severity === "error" ? 0 : 10) + (ORDER[one.kind] ?? FAILS);
  const groups = Array.from(kinds.values(), (items) =>
    [...items].sort((a, b) => weight(a) - weight(b)).slice(0, MAX_OF_A_KIND),
  );
  const first = (group: readonly Omit<Attention, "of">[]) => (group[0] ? weight(group[0]) : 0);
  return groups
    .sort((a, b) => first(a) - first(b))
    .flat()
    .map((one) => ({ ...one, of: kinds.get(one.kind)?.length ?? 1 }));
}
