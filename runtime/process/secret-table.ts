import { environmentReferences, resolvedText } from "../abi/environment.js";
import type { Secrets } from "./messages.js";

type Environment = Readonly<Record<string, string | undefined>>;

const NONE: Secrets = {};
/** A secret that is rotated each day is kept for years. */
const MAX_EARLIER = 1_000;

/**
 * What the references of modules stand for in this process. Literals come from control and are in no file; a reference is
 * named after its value, so that several generations can look in one table.
 */
export class SecretTable {
  readonly #environment: Environment;
  #live = NONE;
  #prepared: Secrets | undefined;
  /** Of generations before, whose last deliveries may still be under way: a spool outlives the settings it was filled by. */
  readonly #earlier = new Map<string, string>();
  /** References that were asked for in vain since the last generation began to load. */
  readonly #unknown = new Set<string>();

  constructor(environment: Environment = process.env) {
    this.#environment = environment;
  }

  /** With a whole generation. */
  start(secrets: Secrets): void {
    this.#unknown.clear();
    this.#live = secrets;
    this.#prepared = undefined;
  }

  /** With the next generation, which is loaded from now on. @param secrets undefined: those of the live one */
  prepare(secrets: Secrets | undefined): void {
    this.#unknown.clear();
    this.#prepared = secrets;
  }

  activate(): void {
    if (this.#prepared === undefined) return;
    for (const [reference, secret] of Object.entries(this.#live)) this.#keep(reference, secret);
    this.#live = this.#prepared;
    this.#prepared = undefined;
  }

  discard(): void {
    this.#prepared = undefined;
  }

  /** What was asked for in vain, in words; undefined when all was known. */
  get missing(): string | undefined {
    const [reference] = this.#unknown;
    if (reference === undefined) return undefined;
    const [variable] = environmentReferences(reference);
    return variable ? `the environment variable ${variable.name} is not set` : "a secret is not known here";
  }

  /** Undefined when it is not known here: a variable that is not set, or a literal that control has not told. */
  resolve(reference: string): string | undefined {
    if (environmentReferences(reference).length > 0) return resolvedText(reference, this.#environment);
    for (const table of [this.#prepared, this.#live])
      if (table !== undefined && Object.hasOwn(table, reference)) return table[reference];
    return this.#earlier.get(reference);
  }

  /** The same for the generation that is loaded: what it needs in vain is `missing`. */
  needed(reference: string): string | undefined {
    const secret = this.resolve(reference);
    if (secret === undefined) this.#unknown.add(reference);
    return secret;
  }

  #keep(reference: string, secret: string): void {
    this.#earlier.delete(reference);
    this.#earlier.set(reference, secret);
    const [oldest] = this.#earlier.keys();
    if (this.#earlier.size > MAX_EARLIER && oldest !== undefined) this.#earlier.delete(oldest);
  }
}
