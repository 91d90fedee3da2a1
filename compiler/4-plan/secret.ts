import { environmentReferences } from "../../runtime/abi/environment.js";
import { literalReference, literalVersion } from "../../runtime/abi/literal-secret.js";
import type { Span } from "../model/diagnostic.js";
import type { SecretReference } from "../plugin/definition.js";

/** Plain-text secret in a plugin's settings, in place of a variable name. */
export interface LiteralSecret {
  reference: string;
  /** Span of the value; `field` is its path: "broker-logger.brokers.0.sasl_config.password". */
  span: Span;
  field: string;
}

/**
 * Keeps the values of plain-text secrets out of everything that is planned, printed, hashed or sent with a
 * delta. With a key, the name of a secret is an HMAC of its value. Equal values share a name in all places. A
 * new value has a new name, so that shared resources with it are opened again. Without a key, the name is the
 * place of the secret.
 */
export class SecretKeeper {
  readonly values: Map<string, string> = new Map();
  readonly literals: LiteralSecret[] = [];
  readonly #key: string | undefined;

  /**
   * @param key of the HMAC. It is a secret of the installation, since its holder can test guesses of values.
   */
  constructor(key?: string) {
    this.#key = key;
  }

  /**
   * @param place "route:shop:broker-logger.brokers.0.sasl_config.password"
   * @param scope prefix for the names of secrets that only one process receives: "captcha:"
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
