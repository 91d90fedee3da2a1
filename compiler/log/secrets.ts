import { type ClientCertificate, checkClientKey } from "../certificates/client.js";
import type { Path } from "../parse/source.js";
import type { PlanContext, PluginSettings } from "../plugin/definition.js";

/** References of the secrets that a logger's settings hold, and their versions. */
export class PlannedSecrets {
  /** Of those that are not called by their version. */
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

  /** None where each version is what the secret is called: a destination that names them all says it already. */
  get allVersions(): readonly string[] {
    return this.versions.length === 0 ? [] : this.#all;
  }

  /**
   * What a server that asks is shown; a key that cannot be read or does not fit is reported.
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
