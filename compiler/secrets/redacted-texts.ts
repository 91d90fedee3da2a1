import { environmentReferences } from "../../runtime/abi/environment.js";
import type { CredentialNames } from "../2-validate/credential-names.js";
import type { Inventory } from "../3-resolve/inventory.js";
import type { CompileInput } from "../model/input.js";
import { kinds, type Resource } from "../model/resource.js";
import { credentialTexts, literalSecrets, namesOfResources, valuesOf } from "./secret-values.js";

export interface RedactedTexts {
  /** Plain-text secrets, and values of the environment variables that the configuration names. */
  secrets: string[];
  /** Ids, names and addresses without a variable. They are shown even if they contain a value of the environment. */
  open: string[];
  /** Secrets that are numbers. */
  numbers: string[];
}

interface OfResource {
  secrets: readonly string[];
  variables: readonly string[];
  names: readonly string[];
  /** Credential names with which the resource was searched. */
  key: string;
}

/** Each resource is searched once, not for each tested request. */
const known = new WeakMap<object, OfResource>();

function ofResource(resource: Resource, credentials: CredentialNames): OfResource {
  const { value } = resource;
  const { key } = credentials;
  if (typeof value !== "object" || value === null) return { secrets: [], variables: [], names: [], key };
  let found = known.get(value);
  if (found?.key !== key) {
    const variables = environmentReferences(JSON.stringify(value)).map(({ name }) => name);
    found = {
      secrets: [...literalSecrets([resource]), ...credentialTexts([resource], credentials)],
      variables,
      names: namesIn(resource),
      key,
    };
    known.set(value, found);
  }
  return found;
}

function namesIn({ id, value }: Resource): string[] {
  const { name, uri, uris, host, hosts } = value as Readonly<Record<string, unknown>>;
  return [id, name, uri, uris, host, hosts].flat().filter((one) => typeof one === "string");
}

/**
 * @param sources of the files; in compiled values their variables have been replaced
 * @param secrets values of plain-text secrets that modules refer to
 */
export function redactedTexts(
  inventory: Inventory,
  { sources, environment }: Pick<CompileInput, "sources" | "environment">,
  secrets: Iterable<string>,
): RedactedTexts {
  const resources = kinds().flatMap((kind) => [...inventory.all(kind).values()]);
  const credentials = namesOfResources(resources);
  const ofResources = resources.map((resource) => ({
    from: resource.from,
    ...ofResource(resource, credentials),
  }));
  const variables = [
    ...sources.flatMap(({ text }) => environmentReferences(text).map(({ name }) => name)),
    ...ofResources.flatMap((one) => one.variables),
  ];
  const values = valuesOf(variables, environment);
  const found = [...secrets, ...ofResources.flatMap((one) => one.secrets)].filter((text) => text !== "");
  const near = (text: string) => values.some((one) => text.includes(one));
  const written = wordsWith(values, sources);
  const open = ofResources
    .flatMap(({ names, from }) =>
      names.filter((text) => near(text) && (from === "file" ? written.has(text) : !text.includes("${{"))),
    )
    // "/p4711/*" is also shown without its "*".
    .flatMap((text) => (text.endsWith("*") ? [text, text.slice(0, -1)] : [text]));
  const numbers = found.filter((text) => NUMBER.test(text));
  return { secrets: [...found, ...values], open: [...new Set(open)], numbers };
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

const BETWEEN_WORDS = /[\s"'`,[\]{}]+|:(?=\s)/;

/** Words of the last sources: the search takes 0.1 s for 5 MB. */
let looked: { sources: CompileInput["sources"]; values: string; words: ReadonlySet<string> } | undefined;

/** Words that contain one of the values without a variable. */
function wordsWith(values: readonly string[], sources: CompileInput["sources"]): ReadonlySet<string> {
  const key = JSON.stringify(values);
  if (looked?.sources !== sources || looked.values !== key) {
    const texts = sources.map(({ text }) => text).filter((text) => values.some((one) => text.includes(one)));
    const words = texts.flatMap((text) =>
      text.split(BETWEEN_WORDS).filter((word) => values.some((one) => word.includes(one))),
    );
    looked = { sources, values: key, words: new Set(words) };
  }
  return looked.words;
}
