import { decodeUtf8, utf8 } from "../../runtime/abi/text/bytes.js";
import { valueAt } from "../parse/values.js";
import type { Condition } from "../plan/plan.js";
import type { Plan } from "../plan/plan-document.js";
import { pipelinesOf } from "../plan/plan-document.js";
import type { Resource } from "../resolve/resource.js";
import { literalSecrets } from "../secret-values.js";

/** Pairs of a field and a value that are tried: the first clients, and those that conditions name, stand for all. */
const MOST = 12;
/** Clients that conditions name. */
const MAX_NAMED = 6;
/** A shorter text could not be kept out of a report without taking other text along. */
const SHORTEST = 8;

/** As much of a side as tells what its clients may send. */
export interface KnownClients {
  plan: Plan;
  resources: readonly Pick<Resource, "kind" | "value">[];
}

/** Secrets of consumers that are written out: first of those that a condition on `$consumer_name` may ask for. */
function consumerSecrets({ resources, plan }: KnownClients): { named: string[]; all: string[] } {
  const consumers = resources.filter(({ kind }) => kind === "consumers");
  const secretsOf = (some: typeof consumers) =>
    literalSecrets(some).filter((text) => text.length >= SHORTEST);
  const names = new Set<string>();
  for (const { match, steps } of pipelinesOf(plan)) addNames([match, steps], names);
  const named = consumers.filter(({ value }) => names.has(String(valueAt(value, ["username"]))));
  return { named: secretsOf(named), all: secretsOf(consumers) };
}

/** Adds the consumers that are named by the conditions in a part of a plan. */
function addNames(part: unknown, names: Set<string>): void {
  if (typeof part !== "object" || part === null) return;
  const { kind, variable, operand } = part as Partial<Extract<Condition, { kind: "compare" }>>;
  if (kind === "compare" && variable === "consumer_name" && operand !== undefined) {
    const values = operand.kind === "list" ? operand.values : "value" in operand ? [operand.value] : [];
    for (const value of values) names.add(decodeUtf8(String(value)));
  }
  for (const member of Object.values(part)) addNames(member, names);
}

/** What clients of either side could send; those that only one side knows first. */
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
