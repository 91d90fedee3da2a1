import { isPairFault, pairIn, readPairTexts } from "../../runtime/abi/certificate-files.js";
import { environmentReferences } from "../../runtime/abi/environment.js";
import { readChain } from "../../runtime/abi/pem.js";
import { type TlsPolicyInput, tlsPolicyFrom } from "../../runtime/abi/tls-policy.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import { chainsOf, checkDatesAndNames, filesOf, type SslValue } from "./check.js";

/** For configurations that are only checked; a compile reads no certificate files. @param now epoch seconds */
export function certificateFileDiagnostics(
  {
    resources,
    deployment,
  }: { resources: readonly Resource[]; deployment: Readonly<Record<string, unknown>> | null },
  directory: string,
  now: number,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const { ssl } = (deployment?.["gw"] ?? {}) as { ssl?: TlsPolicyInput };
  // A variable may be unset here.
  const isKnown = environmentReferences(ssl?.ssl_ciphers ?? "").length === 0;
  const policy = tlsPolicyFrom(isKnown ? ssl : {});
  for (const resource of resources) {
    if (resource.kind !== "ssls" || resource.from !== "file") continue;
    const { id, value, spans } = resource as Resource<SslValue>;
    const files = filesOf(value);
    // An unset variable has a note of its own (GW3072).
    const isUnknown = files === undefined || environmentReferences(`${files.cert} ${files.key}`).length > 0;
    if (isUnknown || value.status === 0) continue;
    const texts = readPairTexts(files, directory);
    const pair = isPairFault(texts)
      ? texts
      : pairIn(texts, files, { policy, beside: chainsOf(value).map(({ cert }) => cert) });
    if (isPairFault(pair)) found.push(diagnostic("GW3074", spans.value([pair.field]), { id, ...pair }));
    else {
      const [own] = readChain(pair.cert) ?? [];
      if (own === undefined) continue;
      checkDatesAndNames(resource as Resource<SslValue>, own, ["cert_file"], now, (one) => found.push(one));
    }
  }
  return found;
}
