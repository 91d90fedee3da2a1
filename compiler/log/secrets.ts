import { type ClientCertificate, checkClientKey } from "../certificates/client.js";
import type { Path } from "../model/source.js";
import type { PlanContext, PluginSettings } from "../plugin/definition.js";

/** References of the secrets in a logger's settings, and their versions. */
export class PlannedSecrets {
  /** Versions of secrets whose reference differs from their version. */
  readonly versions: string[] = [];
  readonly #all: string[] = [];
  readonly #context: PlanContext;

  constructor(context: PlanContext) {
    this.#context = context;
  }

  reference(value: string, path: Path): string {
    const { reference, version } = this.#context.secret(value, path);
    this.#all.push(version);
    if (version !== reference) this.versions.push(version);
    return reference;
  }

  /** Empty if every reference is its version, since the destination then contains them all. */
  get allVersions(): readonly string[] {
    return this.versions.length === 0 ? [] : this.#all;
  }

  /**
   * Plans a certificate for servers that request one; an unreadable or mismatching key is reported.
   * @param at path of `cert` and `key` in the settings
   */
  clientPair(
    { cert, key }: ClientCertificate,
    at: Path,
    spans: PluginSettings<object>["spans"],
  ): { cert?: string; key?: string } {
    checkClientKey({ cert, key }, (field) => spans.value([...at, field]), this.#context.report);
    return {
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key: this.reference(key, [...at, "key"]) }),
    };
  }
}
