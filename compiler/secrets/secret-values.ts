import { environmentReferences, variableOf } from "../../runtime/abi/environment.js";
import { valueAt } from "../1-parse/values.js";
import { isExposed, isLiteral, resourceSecretPaths, secretPaths } from "../2-validate/annotations.js";
import { type CredentialNames, namesIn } from "../2-validate/credential-names.js";
import { credentialsOfResource } from "../2-validate/named-credentials.js";
import type { Environment } from "../model/input.js";
import type { Resource } from "../model/resource.js";

type Written = Pick<Resource, "kind" | "value">;

/** Includes defaults of variables. */
export function literalSecrets(resources: readonly Written[]): string[] {
  return resources.flatMap(({ kind, value }) =>
    resourceSecretPaths(kind, value).flatMap((path) => toldIn(valueAt(value, path))),
  );
}

/** The text itself, or the defaults of its variables. */
function toldIn(text: unknown): string[] {
  if (!isExposed(text)) return [];
  return isLiteral(text) ? [text] : environmentReferences(text).flatMap(({ fallback }) => fallback || []);
}

const SCHEME = /^(?:bearer|basic|digest|token|apikey|negotiate)\s+/i;
const COOKIE = /(?:^|;)\s*(?!(?:path|domain|expires|max-age|samesite)=)[^=;\s]+=([^;\s]+)/gi;
/** A shorter value of a cookie occurs in any text. */
const SHORTEST_VALUE = 8;

/** Searches fields that may hold any text. Returns credentials also without their scheme or cookie name. */
export function credentialTexts(resources: readonly Written[], names: CredentialNames): string[] {
  return partsOfCredentials(
    resources.flatMap(({ kind, value }) =>
      credentialsOfResource(kind, value, names).flatMap((one) => one.literals),
    ),
  );
}

/** Headers, arguments and variables that carry credentials. */
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
 * Texts that no report shows: values of secret fields, and credentials by name in resources and settings.
 * Values of environment variables that the texts name count in every field.
 * @param texts texts that may name variables
 * @param environment values of the variables
 */
export function secretValues(
  resources: readonly Written[],
  deployment: unknown,
  texts: readonly string[],
  environment: Environment,
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

/** Values that are no secrets: switches, schemes, methods and load balancers. */
const COMMON: ReadonlySet<string> = new Set(
  `true false null none auto default enabled disabled yes off http https grpc grpcs get post put patch delete head options
   localhost roundrobin chash ewma least_conn info warn error debug`.split(/\s+/),
);
/** Minimum of a secret: a shorter text or lower number occurs in any text. */
const SHORTEST = 4;
const SMALLEST = 1_000;

/** Leaves out values that anybody can guess: masking them would hide unrelated text. */
export function valuesOf(names: Iterable<string>, environment: Environment): string[] {
  return [...new Set(names)].map((name) => variableOf(environment, name) ?? "").filter(isTelling);
}

function isTelling(value: string): boolean {
  const text = value.trim();
  if (text.length < SHORTEST || COMMON.has(text.toLowerCase())) return false;
  return !/^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) || Math.abs(Number(text)) >= SMALLEST;
}
