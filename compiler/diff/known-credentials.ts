import { decodeUtf8, utf8 } from "../../runtime/abi/text/bytes.js";
import { valueAt } from "../1-parse/values.js";
import { type Condition, type Plan, pipelinesOf } from "../model/plan.js";
import type { Resource } from "../model/resource.js";
import { literalSecrets } from "../secrets/secret-values.js";

/** Maximum pairs of header and value: the first clients, and those that conditions name, represent all. */
const MOST = 12;
const MAX_NAMED = 6;
/** Minimum length: masking a shorter secret in a report would mask other text as well. */
const SHORTEST = 8;

export interface KnownClients {
  plan: Plan;
  resources: readonly Pick<Resource, "kind" | "value">[];
}

/** `named`: plain-text secrets of consumers that a condition on `$consumer_name` names. */
function consumerSecrets({ resources, plan }: KnownClients): { named: string[]; all: string[] } {
  const consumers = resources.filter(({ kind }) => kind === "consumers");
  const secretsOf = (some: typeof consumers) =>
    literalSecrets(some).filter((text) => text.length >= SHORTEST);
  const names = new Set<string>();
  for (const { match, steps } of pipelinesOf(plan)) addNames([match, steps], names);
  const named = consumers.filter(({ value }) => names.has(String(valueAt(value, ["username"]))));
  return { named: secretsOf(named), all: secretsOf(consumers) };
}

function addNames(part: unknown, names: Set<string>): void {
  if (typeof part !== "object" || part === null) return;
  const { kind, variable, operand } = part as Partial<Extract<Condition, { kind: "compare" }>>;
  if (kind === "compare" && variable === "consumer_name" && operand !== undefined) {
    const values = operand.kind === "list" ? operand.values : "value" in operand ? [operand.value] : [];
    for (const value of values) names.add(decodeUtf8(String(value)));
  }
  for (const member of Object.values(part)) addNames(member, names);
}

/** Lists credentials first that only one side knows. */
export function credentialsOf(
  before: KnownClients,
  after: KnownClients,
): { header: string; value: string }[] {
  const headers = new Set(
    [before, after].flatMap(({ plan }) =>
      pipelinesOf(plan).flatMap(({ credentials }) => credentials?.headers ?? []),
    ),
  );
  const [old, fresh] = [consumerSecrets(before), consumerSecrets(after)];
  const values = new Set([
    ...old.all.filter((text) => !fresh.all.includes(text)).slice(0, 1),
    ...fresh.all.filter((text) => !old.all.includes(text)).slice(0, 1),
    ...[...old.named, ...fresh.named].slice(0, MAX_NAMED),
    ...old.all.filter((text) => fresh.all.includes(text)).slice(0, 1),
  ]);
  return [...headers]
    .flatMap((header) => [...values].map((value) => ({ header, value: utf8(value) })))
    .slice(0, MOST);
}
