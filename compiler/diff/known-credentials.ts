import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { Plan } from "../plan/whole.js";
import { pipelinesOf } from "../plan/whole.js";
import type { Resource } from "../resolve/resource.js";
import { literalSecrets } from "../secret-texts.js";

/** Pairs of a field and a value that are tried: the first clients stand for all. */
const MOST = 6;
/** A shorter text could not be kept out of a report without taking other text along. */
const SHORTEST = 8;

/** As much of a side as tells what its clients may send. */
export interface KnownClients {
  plan: Plan;
  resources: readonly Pick<Resource, "kind" | "value">[];
}

/** Secrets of consumers that are written out. */
function consumerSecrets({ resources }: Pick<KnownClients, "resources">): string[] {
  const consumers = resources.filter(({ kind }) => kind === "consumers");
  return literalSecrets(consumers).filter((text) => text.length >= SHORTEST);
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
  const alone = [
    ...old.filter((text) => !fresh.includes(text)).slice(0, 1),
    ...fresh.filter((text) => !old.includes(text)).slice(0, 1),
  ];
  const values = new Set([...alone, ...old.filter((text) => fresh.includes(text)).slice(0, 1)]);
  return [...headers]
    .flatMap((header) => [...values].map((value) => ({ header, value: utf8(value) })))
    .slice(0, MOST);
}
