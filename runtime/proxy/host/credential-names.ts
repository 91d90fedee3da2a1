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

function union(units: Iterable<Credentials>): Credentials {
  const all = [...units];
  const headers = new Set(all.flatMap((one) => one.headers));
  const query = new Set(all.flatMap((one) => one.query));
  const secret = new Set([
    ...Array.from(headers, (name) => `http_${name.replaceAll("-", "_")}`),
    ...Array.from(query, (name) => `arg_${name}`),
  ]);
  for (const [variable, field] of all.flatMap(({ copies = [] }) => copies))
    if (secret.has(variable)) headers.add(field);
  return { headers: [...headers].sort(), query: [...query].sort() };
}
