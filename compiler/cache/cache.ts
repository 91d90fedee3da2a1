import { isDeepStrictEqual } from "node:util";

/** Step of a compile whose results are cached. `Plain` is the form of a result in a file. */
export interface Step<Result, Plain = Result> {
  readonly name: string;
  /** @returns undefined for a result that no file may hold */
  toPlain(result: Result): Plain | undefined;
  /** @returns undefined if the result does not hold any more */
  fromPlain(plain: Plain): Result | undefined;
}

/** Step whose results are JSON. */
export const jsonStep = <Result>(name: string): Step<Result> => ({
  name,
  toPlain: (result) => result,
  fromPlain: (plain) => plain,
});

/** Step whose results stay in memory. */
export const memoryStep = <Result>(name: string): Step<Result, never> => ({
  name,
  toPlain: () => undefined,
  fromPlain: () => undefined,
});

/**
 * Results of earlier work, by step and by a key that covers all inputs of the step: a hash, or in memory an
 * object that never changes. A result that a compile does not use is dropped at the next one.
 */
export class Cache {
  #current: Map<string | object, unknown>;
  #previous: ReadonlyMap<string | object, unknown> = new Map();
  #shared: unknown;
  /** Results are held as JSON, as the file has them: few are read, and each is written as it was. */
  readonly #isText: boolean;

  /** @param texts results of a file (`texts`); undefined: this cache is never written to a file */
  constructor(texts?: Iterable<readonly [name: string, json: string]>) {
    this.#current = new Map(texts);
    this.#isText = texts !== undefined;
  }

  /** Starts a compile. @param shared inputs of all steps, if no key covers them: others drop all results */
  begin(shared: unknown): void {
    const isSame = this.#shared === undefined || isDeepStrictEqual(shared, this.#shared);
    this.#previous = isSame ? this.#current : new Map();
    this.#current = new Map();
    this.#shared = shared;
  }

  get<Result, Plain>(step: Step<Result, Plain>, key: string | object): Result | undefined {
    const name = nameOf(step, key);
    const held = this.#current.get(name) ?? this.#previous.get(name);
    if (held === undefined) return undefined;
    const result = this.#isText ? step.fromPlain(JSON.parse(held as string)) : (held as Result);
    if (result !== undefined) this.#current.set(name, held);
    return result;
  }

  set<Result, Plain>(step: Step<Result, Plain>, key: string | object, result: Result): void {
    const held = this.#isText ? JSON.stringify(step.toPlain(result)) : result;
    if (held !== undefined) this.#current.set(nameOf(step, key), held);
  }

  /** Returns the cached result, or makes it. */
  result<Result, Plain>(step: Step<Result, Plain>, key: string | object, make: () => Result): Result {
    const known = this.get(step, key);
    if (known !== undefined) return known;
    const made = make();
    this.set(step, key, made);
    return made;
  }

  /** Results of this compile by step and key, as JSON. */
  texts(): ReadonlyMap<string, string> {
    return this.#current as ReadonlyMap<string, string>;
  }
}

const nameOf = ({ name }: { name: string }, key: string | object) =>
  typeof key === "string" ? `${name} ${key}` : key;
