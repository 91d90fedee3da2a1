import { environmentReferences } from "../../runtime/abi/environment.js";
import { literalReference, literalVersion } from "../../runtime/abi/literal-secret.js";
import type { Span } from "../diagnostics/diagnostic.js";
import type { SecretReference } from "../plugin/definition.js";

/** A secret that a plugin's settings write out instead of naming a variable. */
export interface LiteralSecret {
  /** Name under which the plan and modules refer to it. */
  reference: string;
  /** Place of the value, and the field that holds it: "broker-logger.brokers.0.sasl_config.password". */
  span: Span;
  field: string;
}

/**
 * Keeps the values of literal secrets apart from everything that is planned, printed, hashed or sent with a delta. With a
 * key, a literal is known by an HMAC of its value: equal values share a name wherever they stand, and a new value is a
 * new name, so that what holds it is opened anew. Without one it is known by its place.
 */
export class SecretKeeper {
  /** Values by reference. */
  readonly values: Map<string, string> = new Map();
  readonly literals: LiteralSecret[] = [];
  readonly #key: string | undefined;

  /** @param key of the HMAC; whoever has it can try out values, so it is a secret of the installation */
  constructor(key?: string) {
    this.#key = key;
  }

  /**
   * @param place "route:shop:broker-logger.brokers.0.sasl_config.password"
   * @param scope beginning of the names of literals that are for one process alone: "captcha:"
   */
  reference(value: string, place: string, span: Span, scope = ""): SecretReference {
    if (environmentReferences(value).length > 0) return { reference: value, version: value };
    const version = this.#key === undefined ? "literal" : literalVersion(this.#key, value);
    const reference = scope + (this.#key === undefined ? place : literalReference(version));
    this.values.set(reference, value);
    this.literals.push({ reference, span, field: place.slice(place.lastIndexOf(":") + 1) });
    return { reference, version };
  }
}
