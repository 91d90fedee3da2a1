import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";

/** Resolves a name to its addresses, and later to their TTL in ms, which is undefined if unknown. */
export type ResolveName = (name: string) => Promise<{
  addresses: LookupAddress[];
  ttl: Promise<number | undefined>;
}>;

/** Short timeout: the TTL is optional, and the addresses do not wait for it. */
const resolver = new Resolver({ timeout: 1_000, tries: 1 });

/**
 * Resolves a name by the system, with /etc/hosts and search domains, which DNS itself does not know. Only DNS
 * records have a TTL. They are queried separately, and count if they contain the same addresses.
 */
export const resolveName: ResolveName = async (name) => {
  const addresses = await lookup(name, { all: true });
  const known = new Set(addresses.map(({ address }) => address));
  // A name without a dot is from /etc/hosts or a search domain.
  return { addresses, ttl: name.includes(".") ? shortest(name, known) : Promise.resolve(undefined) };
};

async function shortest(name: string, known: ReadonlySet<string>): Promise<number | undefined> {
  const answers = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const records = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const seconds = records.filter(({ address }) => known.has(address)).map(({ ttl }) => ttl);
  return seconds.length === 0 ? undefined : Math.min(...seconds) * 1_000;
}
