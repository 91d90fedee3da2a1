import { environmentReferences } from "../../runtime/abi/environment.js";
import { readChain, readKey } from "../../runtime/abi/pem.js";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";

/** What a plugin shows to servers that ask who it is; its schema has the chain read already. */
export interface ClientCertificate {
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Reports a client's key that cannot be read, or is not that of its certificate. @param at where each of them stands */
export function checkClientKey(
  { cert, key }: ClientCertificate,
  at: (field: "cert" | "key") => Span,
  report: (finding: Diagnostic) => void,
): void {
  // What a variable holds is known where the gateway runs.
  if (cert === undefined || key === undefined || environmentReferences(key).length > 0) return;
  const read = readKey(key);
  if (read === undefined) report(diagnostic("GW4415", at("key")));
  else if (!readChain(cert)?.[0]?.checkPrivateKey(read)) {
    const notes = [{ message: "its certificate", span: at("cert") }];
    report(diagnostic("GW4416", at("key"), {}, { notes }));
  }
}
