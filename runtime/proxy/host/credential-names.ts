import { type Credentials, NO_CREDENTIALS } from "../../abi/log.js";

/**
 * What all modules of a generation take credentials from. Together and not by route: a client that has a key sends it with
 * every request, also to routes that do not ask for one and where there is no route.
 */
export class CredentialNames {
  readonly #byUnit = new Map<string, Credentials>();
  #names: Credentials = NO_CREDENTIALS;

  /** The same object until something changes. */
  get names(): Credentials {
    return this.#names;
  }

  /** @param credentials of the unit from now on; undefined for none */
  set(unit: string, credentials: Credentials | undefined): void {
    const before = this.#byUnit.get(unit);
    if (JSON.stringify(before) === JSON.stringify(credentials)) return;
    if (credentials === undefined) this.#byUnit.delete(unit);
    else this.#byUnit.set(unit, credentials);
    const next = union(this.#byUnit.values());
    if (JSON.stringify(next) !== JSON.stringify(this.#names)) this.#names = next;
  }
}

function union(all: Iterable<Credentials>): Credentials {
  const headers = new Set<string>();
  const query = new Set<string>();
  for (const one of all) {
    for (const name of one.headers) headers.add(name);
    for (const name of one.query) query.add(name);
  }
  return { headers: [...headers].sort(), query: [...query].sort() };
}
