import { environmentReferences } from "../../runtime/abi/environment.js";
import { readChain, readKey } from "../../runtime/abi/pem.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";
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

/** Certificate that is presented to servers by a plugin, whose schema has already checked the chain. */
export interface ClientCertificate {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Reports an unreadable key, or one that does not fit its certificate. @param at returns the span of a field */
function checkClientKey(
  { cert, key }: ClientCertificate,
  at: (field: "cert" | "key") => Span,
  report: (finding: Diagnostic) => void,
): void {
  // Values of variables are known only where the gateway runs.
  if (cert === undefined || key === undefined || environmentReferences(key).length > 0) return;
  const read = readKey(key);
  if (read === undefined) report(diagnostic("GW4415", at("key")));
  else if (!readChain(cert)?.[0]?.checkPrivateKey(read)) {
    const notes = [{ message: "its certificate", span: at("cert") }];
    report(diagnostic("GW4416", at("key"), {}, { notes }));
  }
}
