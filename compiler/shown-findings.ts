import { begunIn, Spellings } from "../runtime/abi/spellings.js";
import { withoutAddressCredentials } from "./diagnostics/credential-text.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import type { Located } from "./parse/source.js";
import type { Resource } from "./resolve/resource.js";
import { credentialTexts, partsOfCredentials } from "./secret-texts.js";
import { credentialsWritten } from "./validate/written-credentials.js";

/** Configuration that findings are about. */
interface Written {
  documents?: readonly Located[];
  resources?: readonly Pick<Resource, "kind" | "value">[];
}

/** Findings whose messages quote no credential of the configuration, and no user of an address. */
export function shownFindings(findings: readonly Diagnostic[], written: Written): Diagnostic[] {
  if (findings.length === 0) return [];
  const { documents = [], resources = [] } = written;
  const ofFiles = documents.flatMap(({ value }) => credentialsWritten(value).flatMap((one) => one.literals));
  const all = [...partsOfCredentials(ofFiles), ...credentialTexts(resources)];
  const said = findings.flatMap((one) => [one.message, one.help ?? "", ...one.notes.map((n) => n.message)]);
  const spellings = new Spellings(begunIn(all, said));
  const shown = (text: string) => spellings.without(withoutAddressCredentials(text), "***");
  return findings.map((one) => ({
    ...one,
    message: shown(one.message),
    notes: one.notes.map((note) => ({ ...note, message: shown(note.message) })),
    ...(one.help !== undefined && { help: shown(one.help) }),
    ...(one.errorMessage !== undefined && { errorMessage: shown(one.errorMessage) }),
  }));
}
