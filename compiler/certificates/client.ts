import { environmentReferences } from "../../runtime/abi/environment.js";
import { readChain, readKey } from "../../runtime/abi/pem.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";

/** Certificate that is presented to servers by a plugin, whose schema has already checked the chain. */
export interface ClientCertificate {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Reports an unreadable key, or one that does not fit its certificate. @param at returns the span of a field */
export function checkClientKey(
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
