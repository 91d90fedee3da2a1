import { environmentReferences, resolvedText } from "../abi/environment.js";
import type { Secrets } from "./messages.js";

type Environment = Readonly<Record<string, string | undefined>>;

const NONE: Secrets = {};
/** Maximum earlier secrets: one that is rotated each day is kept for years. */
const MAX_EARLIER = 1_000;

/**
 * Secrets by reference. Control sends literal secrets, which no file contains; their reference depends on the
 * value alone, so generations share it.
 */
export class SecretTable {
  readonly #environment: Environment;
  #live = NONE;
  #prepared: Secrets | undefined;
  /** Secrets whose last deliveries may still be in flight: a spool outlives the settings that filled it. */
  readonly #earlier = new Map<string, string>();
  /** Unknown references since the last generation began to load. */
  readonly #unknown = new Set<string>();

  constructor(environment: Environment = process.env) {
    this.#environment = environment;
  }

  start(secrets: Secrets): void {
    this.#unknown.clear();
    this.#live = secrets;
    this.#prepared = undefined;
  }

  /** @param secrets undefined: those of the live one */
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

  /** Describes an unknown reference; undefined if all were known. */
  get missing(): string | undefined {
    const [reference] = this.#unknown;
    if (reference === undefined) return undefined;
    const [variable] = environmentReferences(reference);
    return variable ? `the environment variable ${variable.name} is not set` : "a secret is unknown";
  }

  /** @returns undefined for a variable that is not set, or a literal that control has not sent */
  resolve(reference: string): string | undefined {
    if (environmentReferences(reference).length > 0) return resolvedText(reference, this.#environment);
    for (const table of [this.#prepared, this.#live])
      if (table !== undefined && Object.hasOwn(table, reference)) return table[reference];
    return this.#earlier.get(reference);
  }

  /** Resolves a reference for the generation being loaded: an unknown one becomes `missing`. */
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
