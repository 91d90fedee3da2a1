import type { CertificateRow, CertificateTexts } from "../abi/certificates.js";
import type { TlsPolicy } from "../abi/tls-policy.js";
import { CertificateError, Certificates } from "../http/tls/contexts.js";
import type { Secrets } from "../process/messages.js";
import { SecretTable } from "../process/secret-table.js";
import { runInSlices } from "../proxy/host/run-in-slices.js";

interface CertificateSources {
  secrets: Secrets;
  texts: CertificateTexts;
  policy: TlsPolicy;
}

/** Checks changed rows with the code of workers; returns the reason why one cannot be presented. */
export async function certificateFault(
  rows: readonly CertificateRow[],
  { secrets, texts, policy }: CertificateSources,
): Promise<string | undefined> {
  const keys = new SecretTable();
  keys.start(secrets);
  const ignore = () => {};
  const certificates = new Certificates((reference) => keys.resolve(reference), ignore, ignore);
  try {
    await runInSlices(certificates.preparing(rows, policy, texts));
    return undefined;
  } catch (error) {
    if (error instanceof CertificateError) return error.message;
    throw error;
  }
}
