import { environmentReferences, substituteEnvironment } from "../abi/environment.js";
import type { Secrets } from "./messages.js";

type Environment = Readonly<Record<string, string | undefined>>;

const NONE: Secrets = {};

/**
 * What the references of modules stand for in this process. Literals come from control and are in no file; a reference is
 * named after its value, so that several generations can look in one table.
 */
export class SecretTable {
  private readonly environment: Environment;
  private live = NONE;
  private prepared: Secrets | undefined;
  /** Of the generation before, whose last requests and deliveries may still be under way. */
  private previous = NONE;
  /** References that were asked for in vain since the last generation began to load. */
  private readonly unknown = new Set<string>();

  constructor(environment: Environment = process.env) {
    this.environment = environment;
  }

  /** With a whole generation. */
  start(secrets: Secrets): void {
    this.unknown.clear();
    this.live = secrets;
    this.prepared = undefined;
  }

  /** With the next generation, which is loaded from now on. @param secrets undefined: those of the live one */
  prepare(secrets: Secrets | undefined): void {
    this.unknown.clear();
    this.prepared = secrets;
  }

  activate(): void {
    if (this.prepared === undefined) return;
    this.previous = this.live;
    this.live = this.prepared;
    this.prepared = undefined;
  }

  discard(): void {
    this.prepared = undefined;
  }

  /** What was asked for in vain, in words; undefined when all was known. */
  get missing(): string | undefined {
    const [reference] = this.unknown;
    if (reference === undefined) return undefined;
    const [variable] = environmentReferences(reference);
    return variable ? `the environment variable ${variable.name} is not set` : "a secret is not known here";
  }

  /** Undefined when it is not known here: a variable that is not set, or a literal that control has not told. */
  resolve(reference: string): string | undefined {
    const secret = this.find(reference);
    if (secret === undefined) this.unknown.add(reference);
    return secret;
  }

  private find(reference: string): string | undefined {
    if (environmentReferences(reference).length > 0) return this.fromEnvironment(reference);
    for (const table of [this.prepared, this.live, this.previous])
      if (table !== undefined && Object.hasOwn(table, reference)) return table[reference];
    return undefined;
  }

  private fromEnvironment(reference: string): string | undefined {
    let known = true;
    const value = substituteEnvironment(reference, this.environment, () => {
      known = false;
    });
    return known ? value : undefined;
  }
}
