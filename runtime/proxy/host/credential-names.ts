import { type Credentials, NO_CREDENTIALS } from "../../abi/log.js";

interface SharedNames {
  readonly text: string;
  readonly credentials: Partial<Credentials>;
  moduleIds: number;
}

/**
 * Credential names of all modules of a generation together: a client sends its key also to routes that ask
 * for none. Thousands of routes have equal names.
 */
export class CredentialNames {
  readonly #byUnit = new Map<string, SharedNames>();
  readonly #said = new Map<string, SharedNames>();
  #names: Credentials = NO_CREDENTIALS;
  #stale = false;

  /** Names of all modules; the same object until something changes. */
  get names(): Credentials {
    if (!this.#stale) return this.#names;
    this.#stale = false;
    const next = union(Array.from(this.#said.values(), ({ credentials }) => credentials));
    if (JSON.stringify(next) !== JSON.stringify(this.#names)) this.#names = next;
    return this.#names;
  }

  /** @param credentials new names of the module; undefined for none */
  set(moduleId: string, credentials: Partial<Credentials> | undefined): void {
    const before = this.#byUnit.get(moduleId);
    const text = credentials && JSON.stringify(credentials);
    if (before?.text === text) return;
    if (before !== undefined) {
      this.#byUnit.delete(moduleId);
      if (--before.moduleIds === 0) {
        this.#said.delete(before.text);
        this.#stale = true;
      }
    }
    if (credentials === undefined || text === undefined) return;
    const said = this.#said.get(text) ?? { text, credentials, moduleIds: 0 };
    if (said.moduleIds++ === 0) {
      this.#said.set(text, said);
      this.#stale = true;
    }
    this.#byUnit.set(moduleId, said);
  }
}

function union(all: readonly Partial<Credentials>[]): Credentials {
  const headers = new Set(all.flatMap(({ headers = [] }) => headers));
  const query = new Set(all.flatMap(({ query = [] }) => query));
  const secret = new Set([
    ...Array.from(headers, (name) => `http_${name.replaceAll("-", "_")}`),
    ...Array.from(query, (name) => `arg_${name}`),
  ]);
  for (const [variable, field] of all.flatMap(({ copies = [] }) => copies))
    if (secret.has(variable)) headers.add(field);
  return { headers: [...headers].sort(), query: [...query].sort() };
}
