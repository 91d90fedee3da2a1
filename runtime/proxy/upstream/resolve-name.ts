import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";

/** Finds out the addresses of a name, and later for how many milliseconds they hold; undefined when nobody says. */
export type ResolveName = (name: string) => Promise<{
  addresses: LookupAddress[];
  ttl: Promise<number | undefined>;
}>;

/** The time of the records is a courtesy: the addresses do not wait for it. */
const resolver = new Resolver({ timeout: 1_000, tries: 1 });

/**
 * Addresses as the system finds them: with /etc/hosts and search domains, of which the protocol knows nothing. For how long they
 * hold only the records say; they are asked beside it, and believed where they name the same addresses.
 */
export const resolveName: ResolveName = async (name) => {
  const addresses = await lookup(name, { all: true });
  const known = new Set(addresses.map(({ address }) => address));
  // A name without a dot is of /etc/hosts or of a search domain.
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
