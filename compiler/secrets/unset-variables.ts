import { environmentReferences, type NeededVariable, variableOf } from "../../runtime/abi/environment.js";
import { parseSource } from "../1-parse/parse.js";
import { valueAt } from "../1-parse/values.js";
import { resourceSecretPaths, secretPaths } from "../2-validate/annotations.js";
import { isDisabled } from "../2-validate/plugins.js";
import { ownId } from "../2-validate/resource.js";
import { diagnostic } from "../diagnostics/report.js";
import { type Diagnostic, locationText } from "../model/diagnostic.js";
import type { Environment } from "../model/input.js";
import { type Kind, kinds, type Resource, singular } from "../model/resource.js";
import type { Path, SourceText } from "../model/source.js";

/** Reports variables that are not set where the gateway runs: it would reject every client that needs the secret. */
export function unsetSecrets(resource: Resource, environment: Environment): Diagnostic[] {
  return unsetOf(resource, environment).map(({ name, place, path }) =>
    diagnostic("GW3016", resource.spans.value(path), { name, place }),
  );
}

/** Lists variables for a process that runs a build of the resources. */
export function neededVariables(resources: readonly Resource[]): NeededVariable[] {
  return resources.flatMap((resource) =>
    mentionsVariable(resource.value) ? unsetOf(resource, {}).map(({ name, place }) => ({ name, place })) : [],
  );
}

/** Skipping the schemas of most resources saves a third of a second for 20,000 routes. */
function mentionsVariable(value: unknown): boolean {
  if (typeof value === "string") return value.includes("${{");
  if (typeof value !== "object" || value === null) return false;
  for (const name in value) if (mentionsVariable((value as Record<string, unknown>)[name])) return true;
  return false;
}

function unsetOf(
  { kind, id, value }: Resource,
  environment: Environment,
): (NeededVariable & { path: Path })[] {
  return resourceSecretPaths(kind, value).flatMap((path) => {
    if (isOfDisabled(value, path)) return [];
    const place = secretPlace(kind, id, path);
    return unsetNames(valueAt(value, path), environment).map((name) => ({ name, place, path }));
  });
}

/** Checks files that are only checked or built, where the variables need not exist. */
export function unsetSecretsOfFiles(sources: readonly SourceText[], environment: Environment): Diagnostic[] {
  return sources.flatMap((source) => {
    if (!MAY_REFER.test(source.text)) return [];
    const { document } = parseSource(source);
    if (!document) return [];
    const { value, spans } = document;
    return secretPaths(value).flatMap((path) =>
      unsetNames(valueAt(value, path), environment).map((name) =>
        diagnostic("GW3017", spans.value(path), { name, place: placeInFile(value, path) }),
      ),
    );
  });
}

/** Test before parsing a file again: braces in plain form, or as escapes of a quoted text. */
const MAY_REFER = /\{\{|\\[uUx\r\n]/;

function placeInFile(document: unknown, path: Path): string {
  const [first, , ...below] = path;
  const kind = kinds().find((known) => known === first);
  if (kind === undefined) return `"${path.join(".")}"`;
  return secretPlace(kind, ownId(kind, valueAt(document, path.slice(0, 2))) ?? "", below);
}

/** Name in diagnostics: `"plugins.key-auth.key" of consumer "jack"`. */
export function secretPlace(kind: Kind, id: string, path: Path): string {
  return `"${path.join(".")}" of ${singular(kind)} "${id}"`;
}

function unsetNames(text: unknown, environment: Environment): string[] {
  if (typeof text !== "string") return [];
  const unset = environmentReferences(text).filter(({ name, fallback }) => {
    const value = variableOf(environment, name) ?? fallback;
    return value === undefined || value === "";
  });
  return [...new Set(unset.map(({ name }) => name))];
}

const isOfDisabled = (value: unknown, [first, plugin]: Path): boolean =>
  first === "plugins" && plugin !== undefined && isDisabled(valueAt(value, ["plugins", plugin]));

/** Only a build or a gateway needs the certificate: GW1020 becomes a note for files that are only checked. */
export function withUnsetCertificates(
  diagnostics: readonly Diagnostic[],
  sources: readonly SourceText[],
  environment: Environment,
): Diagnostic[] {
  if (!diagnostics.some(isUnset)) return [...diagnostics];
  const notes = sources.flatMap((source) => unsetInSsls(source, environment));
  const noted = new Set(notes.map(keyOf));
  return [...diagnostics.filter((found) => !isUnset(found) || !noted.has(keyOf(found))), ...notes];
}

const isUnset = ({ code }: Diagnostic): boolean => code === "GW1020";

const keyOf = ({ span }: Diagnostic): string => (span === undefined ? "" : locationText(span));

function unsetInSsls(source: SourceText, environment: Environment): Diagnostic[] {
  const { document } = parseSource(source);
  const ssls = document && valueAt(document.value, ["ssls"]);
  if (!document || !Array.isArray(ssls)) return [];
  return ssls.flatMap((ssl: unknown, i) =>
    certificatePaths(ssl).flatMap((path) => {
      const text = valueAt(ssl, path);
      if (typeof text !== "string") return [];
      const unset = environmentReferences(text).filter(
        ({ name, fallback }) => (environment[name] ?? fallback) === undefined,
      );
      const names = [...new Set(unset.map(({ name }) => name))];
      const place = `"${path.join(".")}" of ssl "${String(valueAt(ssl, ["id"]) ?? i)}"`;
      return names.map((name) =>
        diagnostic("GW3072", document.spans.value(["ssls", i, ...path]), { name, place }),
      );
    }),
  );
}

/** Certificates, names of their files, and certificate authorities of an `ssls` resource. */
function certificatePaths(ssl: unknown): Path[] {
  const certs = valueAt(ssl, ["certs"]);
  const further: Path[] = Array.isArray(certs) ? certs.map((_, at) => ["certs", at]) : [];
  return [["cert"], ["cert_file"], ["key_file"], ["client", "ca"], ...further];
}
