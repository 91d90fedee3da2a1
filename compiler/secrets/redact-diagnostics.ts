import { candidatesIn, Spellings } from "../../runtime/abi/spellings.js";
import { type CredentialNames, namesIn } from "../2-validate/credential-names.js";
import { namedCredentialsIn } from "../2-validate/named-credentials.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Resource } from "../model/resource.js";
import type { Spanned } from "../model/source.js";
import { withoutAddressCredentials } from "../variables/credential-text.js";
import { credentialTexts, partsOfCredentials } from "./secret-values.js";

interface Written {
  documents?: readonly Spanned[];
  resources?: readonly Pick<Resource, "kind" | "value">[];
  /** Names of the whole configuration, if the diagnostics are about a part of the configuration. */
  names?: CredentialNames;
}

/** Headers, arguments and variables that carry credentials, according to files and stored resources. */
export const namesOfAll = ({ documents = [], resources = [] }: Omit<Written, "names">): CredentialNames =>
  namesIn(() => [...documents, ...resources].map(({ value }) => value));

/** Removes credentials of the configuration, and user information of URLs, from messages. */
export function redactDiagnostics(findings: readonly Diagnostic[], written: Written): Diagnostic[] {
  if (findings.length === 0) return [];
  const { documents = [], resources = [], names = namesOfAll(written) } = written;
  const ofFiles = documents.flatMap(({ value }) =>
    namedCredentialsIn(value, names).flatMap((one) => one.literals),
  );
  const all = [...partsOfCredentials(ofFiles), ...credentialTexts(resources, names)];
  const said = findings.flatMap((one) => [one.message, one.help ?? "", ...one.notes.map((n) => n.message)]);
  const spellings = new Spellings(candidatesIn(all, said));
  const shown = (text: string) => spellings.without(withoutAddressCredentials(text, names), "***");
  return findings.map((one) => ({
    ...one,
    message: shown(one.message),
    notes: one.notes.map((note) => ({ ...note, message: shown(note.message) })),
    ...(one.help !== undefined && { help: shown(one.help) }),
    ...(one.errorMessage !== undefined && { errorMessage: shown(one.errorMessage) }),
  }));
}
