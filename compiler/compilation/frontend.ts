import type { BuiltResource } from "../../runtime/abi/build-files.js";
import { isObject } from "../../runtime/abi/json-object.js";
import { type PathRules, type PathSettings, pathRulesFrom } from "../../runtime/abi/path.js";
import { type Substitution, substitute } from "../1-parse/environment.js";
import { parseSource } from "../1-parse/parse.js";
import { fixedSpans } from "../1-parse/spans.js";
import { valueAt } from "../1-parse/values.js";
import { isSecret, isSymbolic, lossyNumberDiagnostics, secretPaths } from "../2-validate/annotations.js";
import { type DeploymentPart, deploymentPart, validateConfiguration } from "../2-validate/configuration.js";
import { standaloneDiagnostics } from "../2-validate/foreign-product.js";
import { validateResource } from "../2-validate/resource.js";
import { withoutTests } from "../2-validate/tests.js";
import { mergeDeployments } from "../3-resolve/deployment.js";
import type { Absence } from "../3-resolve/inventory.js";
import { listenersOf } from "../3-resolve/listeners.js";
import type { Cache } from "../cache/cache.js";
import { type Diagnostic, hasErrors, type Span, spanOfLocation, startOfFile } from "../model/diagnostic.js";
import type { Change, CompileInput, Environment, StoredResource } from "../model/input.js";
import type { ResolveContext } from "../model/resolved.js";
import { adminPath, type Kind, type Resource } from "../model/resource.js";
import type { Path, SourceText, Spanned, Spans } from "../model/source.js";
import { packageDiagnostics } from "../packages/package-diagnostics.js";
import { findPlugin, pluginNames } from "../plugin/registry.js";
import { checkDocuments } from "../policy/check.js";
import { type Policy, readPolicy } from "../policy/policy.js";
import { type FrontendPart, fileKey, fileStep, STORED } from "./file-cache.js";

export interface Settings {
  /** `{ gw?, deployment? }` of all files, with secrets and run-time values as written; null if no file has either. */
  deployment: Record<string, unknown> | null;
  /** Plain-text secrets, as opposed to those that name a variable. */
  literalSecrets: { path: Path; span: Span }[];
  /** Environment variables whose values are now part of the input. */
  environment: string[];
}

/** Steps 1 and 2: parsing and validation of files and store. */
export interface Frontend extends Settings {
  /** `deployment` if all of it is known; undefined if a file or one of its settings has an error. */
  settled: Settings["deployment"] | undefined;
  resources: Resource[];
  /** Existing resources with errors, or deleted by force. */
  absences: { kind: Kind; id: string; absence: Absence }[];
  /** Parts of resources with errors that can still be checked. */
  partial: Resource[];
  context: ResolveContext;
  diagnostics: Diagnostic[];
  documents: Spanned[];
  policy: Policy | undefined;
}

const CONTEXT: ResolveContext = {
  answers: (plugin) => findPlugin(plugin)?.canRespond === true,
  authenticates: (plugin) => findPlugin(plugin)?.authenticates === true,
  consumerKey: (plugin) => findPlugin(plugin.name)?.consumerKey?.(plugin),
  rewrites: (plugin) => findPlugin(plugin)?.phases.includes("rewrite") === true,
  tlsListener: false,
};

/**
 * Returns what the settings tell about the resources.
 * @param settled undefined if not all of them are known
 * @param sections names of the top-level sections
 */
export const contextOf = (settled: Frontend["settled"], sections: Iterable<string>): ResolveContext => ({
  ...CONTEXT,
  incomplete: false,
  sections: new Set(sections),
  tlsListener: settled === undefined || listensForTls(settled),
  ...(settled !== undefined && { pathRules: pathRulesOf(settled) }),
  ...(settled && { listeners: listenersOf(settled) }),
});

/** Reports whether the settings name an address for TLS. */
const listensForTls = (deployment: Settings["deployment"]): boolean =>
  (deployment?.["gw"] as { ssl?: { listen?: unknown } } | undefined)?.ssl?.listen !== undefined;

/** Reports whether all settings are known: if one is invalid, defaults must not replace it or the others. */
const hasSettled = ({ document, deployment, isCut = false }: FrontendPart): boolean =>
  !isCut &&
  (deployment !== undefined || !isObject(document?.value) || isEmpty(deploymentPart(document.value)));

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

const pathRulesOf = (deployment: Settings["deployment"]): PathRules =>
  pathRulesFrom((deployment?.["gw"] as { path?: PathSettings } | undefined)?.path);

/** @param cache results of earlier reads: in memory, unchanged texts give the same objects */
export function readConfiguration(input: CompileInput, cache?: Cache): Frontend {
  const { sources, built = [], stored = [], environment, faults = [] } = input;
  cache?.begin(environment);
  const files = sources.map((source) => {
    const read = () => readFile(source, environment);
    const step = fileStep(source, environment, () => {
      const { document } = parseSource(source);
      return document && readDocument(document, environment).document;
    });
    return cache ? cache.result(step, fileKey(source), read) : read();
  });
  const ofStore = stored.map((entry) => readStored(entry, cache));
  const held = [...built.map(readBuilt), ...ofStore];
  const packages = packageDiagnostics(
    files.flatMap(({ document, folder }) => (document ? [{ document, folder }] : [])),
  );
  const found = [...files, ...held].flatMap((part) => part.diagnostics);
  // An unknown plugin may be one that did not load.
  const followUp = ({ code }: Diagnostic) => packages.length > 0 && code === "GW2114";
  const diagnostics = [...faults, ...packages, ...found.filter((finding) => !followUp(finding))];
  const documents = files.flatMap((file) => file.document ?? []);
  const deployment = mergeDeployments(
    files.flatMap((file) => file.deployment ?? []),
    (finding) => diagnostics.push(finding),
  );
  const hasFault = hasErrors(faults);
  const settled = !hasFault && files.every(hasSettled) ? deployment : undefined;
  const { policy, diagnostics: ofPolicy } = input.policy ? readPolicy(input.policy) : NO_POLICY;
  diagnostics.push(...ofPolicy);
  const breaches: Diagnostic[] = [];
  if (policy) checkDocuments(policy, documents, settled, (finding) => breaches.push(finding));
  const literalSecrets = files.flatMap((file) => (file.deployment ? literals(file.deployment) : []));
  const incomplete = hasFault || files.some(({ document }) => !document);
  const names = new Set(files.flatMap((file) => file.names));
  return {
    deployment,
    settled,
    literalSecrets,
    environment: [...names].sort(),
    resources: [...files, ...held].flatMap((part) => part.resources),
    absences: [...files, ...held].flatMap((part) => part.absences),
    partial: files.flatMap((file) => file.partial ?? []),
    context: { ...contextOf(settled, files.flatMap(sectionsOf)), incomplete },
    diagnostics: [...breaches, ...diagnostics.filter((finding) => !isOfForbidden(finding, breaches))],
    documents,
    policy,
  };
}

/** A package that the policy forbids was not loaded: GW9002 says all, so GW7011 is dropped. */
const isOfForbidden = ({ code, span }: Diagnostic, breaches: readonly Diagnostic[]): boolean =>
  code === "GW7011" &&
  breaches.some((breach) => breach.code === "GW9002" && JSON.stringify(breach.span) === JSON.stringify(span));

const NO_POLICY = { policy: undefined, diagnostics: [] };

function sectionsOf({ document }: FrontendPart): string[] {
  const value = document?.value;
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

function literals({ value, spans }: DeploymentPart): Settings["literalSecrets"] {
  return secretPaths(value)
    .filter((path) => {
      const secret = valueAt(value, path);
      return typeof secret === "string" && !secret.includes("${{");
    })
    .map((path) => ({ path, span: spans.value(path) }));
}

/** Substitutes the environment's values, as for every command except `gwc test`. */
function readDocument(parsed: Spanned, environment: Environment): Substitution {
  return substitute(withoutTests(parsed), { environment, isSymbolic, isSecret });
}

function readFile(source: SourceText, environment: Environment): FrontendPart {
  const parsed = parseSource(source);
  if (!parsed.document)
    return { resources: [], absences: [], names: [], isCut: true, diagnostics: parsed.diagnostics };
  const isWhole = parsed.diagnostics.length === 0;
  const substituted = readDocument(parsed.document, environment);
  const validated = validateConfiguration(substituted.document, { plugins: pluginNames() });
  return {
    resources: validated.resources,
    absences: validated.refused.map(({ kind, id }) => ({ kind, id, absence: "invalid" })),
    partial: validated.partial,
    deployment: isWhole ? validated.deployment : undefined,
    names: substituted.names,
    document: substituted.document,
    folder: source.folder,
    isCut: !isWhole,
    diagnostics: [
      ...parsed.diagnostics,
      ...standaloneDiagnostics(source),
      ...substituted.diagnostics,
      ...lossyNumberDiagnostics(parsed.lossy ?? [], parsed.document.spans),
      ...withoutUnset(validated.diagnostics, substituted.diagnostics),
    ],
  };
}

/** Drops diagnostics at texts whose variable is not set: errors of its value are not known. */
function withoutUnset(found: readonly Diagnostic[], unset: readonly Diagnostic[]): Diagnostic[] {
  if (unset.length === 0) return [...found];
  const place = ({ span }: Diagnostic) => `${span?.start.line}:${span?.start.column}`;
  const places = new Set(unset.map(place));
  return found.filter((finding) => !places.has(place(finding)));
}

function readStored({ kind, id, value }: StoredResource, cache?: Cache): FrontendPart {
  if (value === null)
    return { resources: [], absences: [{ kind, id, absence: "deleted" }], names: [], diagnostics: [] };
  const read = () => heldPart(kind, id, { value, spans: storedSpans(kind, id) }, "store");
  if (!cache || typeof value !== "object") return read();
  const name = `${kind}/${id}`;
  const known = cache.get(STORED, value);
  if (known?.name === name) return known.part;
  const part = read();
  cache.set(STORED, value, { name, part });
  return part;
}

/** Reads a resource of a build, whose variables outside of secrets were replaced when it was built. */
function readBuilt({ kind, id, value, place }: BuiltResource): FrontendPart {
  const spans = fixedSpans(spanOfLocation(place, "the build"));
  return heldPart(kind, id, { value, spans }, "build");
}

function heldPart(kind: Kind, id: string, located: Spanned, from: Resource["from"]): FrontendPart {
  const { resource, diagnostics } = validateResource(kind, located, { plugins: pluginNames(), from, id });
  return resource
    ? { resources: [resource], absences: [], names: [], diagnostics }
    : { resources: [], absences: [{ kind, id, absence: "invalid" }], names: [], diagnostics };
}

export function parseAdminBody(written: Extract<Change, { put: object }>["put"]): {
  resource: Resource | undefined;
  diagnostics: Diagnostic[];
  /** Top-level scalars of a resource with errors, whose references can still be checked. */
  partial?: Resource | undefined;
} {
  const { kind, id, text, sent = text, method = "PUT" } = written;
  const name = `${method} /gw/admin/${adminPath(kind)}/${id}`;
  const unread = sent === text ? [] : parseSource({ name, text: sent, format: "json" }).diagnostics;
  if (unread.length > 0) return { resource: undefined, diagnostics: unread };
  const { document, diagnostics } = parseSource({ name, text, format: "json" });
  if (!document) return { resource: undefined, diagnostics };
  const validated = validateResource(kind, document, { plugins: pluginNames(), from: "store", id });
  const { resource, diagnostics: found } = validated;
  if (resource && diagnostics.length === 0) return validated;
  const partial = withScalars(document, kind, id);
  return { resource: undefined, diagnostics: [...diagnostics, ...found], partial };
}

function withScalars({ value, spans }: Spanned, kind: Kind, id: string): Resource | undefined {
  if (!isObject(value)) return undefined;
  const scalars = Object.entries(value).filter(([, one]) => ["string", "number"].includes(typeof one));
  return { kind, id, from: "store", value: Object.fromEntries(scalars), spans };
}

/** A stored resource has no text to open, so every part is located at its admin path. */
export function storedSpans(kind: Kind, id: string): Spans {
  return fixedSpans(startOfFile(`admin ${adminPath(kind)}/${id}`));
}
