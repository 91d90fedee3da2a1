import { environmentReferences, variableOf } from "../runtime/abi/environment.js";
import { valueAt } from "./parse/values.js";
import type { Resource } from "./resolve/resource.js";
import { isExposed, isLiteral, resourceSecretPaths, secretPaths } from "./validate/annotations.js";
import { type CredentialNames, namesIn } from "./validate/credential-names.js";
import { credentialsOfResource } from "./validate/named-credentials.js";

type Written = Pick<Resource, "kind" | "value">;

/** Secrets that resources write out, as defaults of variables too. */
export function literalSecrets(resources: readonly Written[]): string[] {
  return resources.flatMap(({ kind, value }) =>
    resourceSecretPaths(kind, value).flatMap((path) => toldIn(valueAt(value, path))),
  );
}

/** Secrets that the text of a field for one tells: itself, or the defaults of its variables. */
function toldIn(text: unknown): string[] {
  if (!isExposed(text)) return [];
  return isLiteral(text) ? [text] : environmentReferences(text).flatMap(({ fallback }) => fallback || []);
}

const SCHEME = /^(?:bearer|basic|digest|token|apikey|negotiate)\s+/i;
/** Values of cookies, but for their attributes. */
const COOKIE = /(?:^|;)\s*(?!(?:path|domain|expires|max-age|samesite)=)[^=;\s]+=([^;\s]+)/gi;
/** A shorter one is a part of any text. */
const SHORTEST_VALUE = 8;

/** Credentials that resources write out where any text may stand, also without the scheme or the name of a cookie in front. */
export function credentialTexts(resources: readonly Written[], names: CredentialNames): string[] {
  return partsOfCredentials(
    resources.flatMap(({ kind, value }) =>
      credentialsOfResource(kind, value, names).flatMap((one) => one.literals),
    ),
  );
}

/** Names that some of the resources give to what carries credentials. */
export const namesOfResources = (resources: readonly Pick<Written, "value">[]): CredentialNames =>
  namesIn(() => resources.map(({ value }) => value));

export const partsOfCredentials = (literals: readonly string[]): string[] =>
  [...new Set(literals.flatMap(partsOf))].filter(isTelling);

function partsOf(literal: string): string[] {
  const text = literal.trim();
  const values = [...text.matchAll(COOKIE)].map(([, value = ""]) => value);
  return [text, text.replace(SCHEME, ""), ...values.filter((value) => value.length >= SHORTEST_VALUE)];
}

/**
 * Texts of a configuration that no report shows: what fields for secrets hold, and what is a credential by its name, in resources and settings, and the values of the environment
 * that the texts name, which are nobody's to print whatever field they are in.
 * @param texts where variables may be named
 * @param environment what gives them their values
 */
export function secretValues(
  resources: readonly Written[],
  deployment: unknown,
  texts: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const ofSettings = secretPaths(deployment ?? {}).flatMap((path) => toldIn(valueAt(deployment, path)));
  const named = texts.flatMap(environmentReferences).map(({ name }) => name);
  const secrets = [
    ...literalSecrets(resources),
    ...credentialTexts(resources, namesOfResources(resources)),
    ...ofSettings,
  ].filter((text) => text !== "");
  return [...secrets, ...valuesOf(named, environment)];
}

/** Words that are the value of many a variable and stand in any answer: switches, schemes, methods and balancers. */
const COMMON: ReadonlySet<string> = new Set(
  `true false null none auto default enabled disabled yes off http https grpc grpcs get post put patch delete head options
   localhost roundrobin chash ewma least_conn info warn error debug`.split(/\s+/),
);
/** Below it a text, and a number as long, is a part of any other. */
const SHORTEST = 4;
const SMALLEST = 1_000;

/** Values of variables that no answer shows. Those that everybody might guess are no secrets, and would blot out what has nothing to do with them. */
export function valuesOf(
  names: Iterable<string>,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  return [...new Set(names)].map((name) => variableOf(environment, name) ?? "").filter(isTelling);
}

function isTelling(value: string): boolean {
  const text = value.trim();
  if (text.length < SHORTEST || COMMON.has(text.toLowerCase())) return false;
  return !/^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) || Math.abs(Number(text)) >= SMALLEST;
}
