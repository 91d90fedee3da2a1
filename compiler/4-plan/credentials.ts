import type { Credentials } from "../../runtime/abi/log.js";
import { utf8 } from "../../runtime/abi/text/bytes.js";
import type { HeaderAction, PlannedPipeline, Step } from "../model/plan.js";
import type { ResolvedPlugin } from "../model/resolved.js";
import { credentialSettings, declaredCredentials } from "../plugin/credential-settings.js";
import { headerActionsOf } from "./header-effects.js";

/**
 * Returns the lower-case names that carry credentials in requests. They come from definitions of plugins, from
 * settings marked x-credential in their schemas, with their defaults, and from headers that header actions
 * derive from a possible credential.
 * @returns undefined if there are none
 */
export function credentialsOf(
  plugins: readonly ResolvedPlugin[],
  steps: readonly Step[],
): Credentials | undefined {
  const names = { header: new Set<string>(), query: new Set<string>() };
  for (const { name, config } of plugins) {
    for (const [field, place, byDefault] of credentialSettings(name)) {
      const value = config.value[field] ?? byDefault;
      if (typeof value === "string") names[place].add(utf8(value).toLowerCase());
    }
    for (const [place, carrier] of declaredCredentials(name)) names[place].add(carrier);
  }
  const copies = copiesIn(steps);
  if (names.header.size + names.query.size + copies.length === 0) return undefined;
  return {
    headers: [...names.header].sort(),
    query: [...names.query].sort(),
    ...(copies.length > 0 && { copies }),
  };
}

/** Returns the distinct credentials of all these pipelines: thousands of routes have equal ones. */
export function distinctCredentials(
  pipelines: Iterable<Pick<PlannedPipeline, "credentials"> | null>,
): Credentials[] {
  const found = new Map<string, Credentials>();
  for (const pipeline of pipelines)
    if (pipeline?.credentials) found.set(JSON.stringify(pipeline.credentials), pipeline.credentials);
  return [...found.values()];
}

/** Variables that may hold a credential, depending on the credentials of other routes and global rules. */
const MAY_BE_CREDENTIAL = /^(?:http|arg)_/;

/** Returns the headers that an action derives from a possible credential, with all names in lower case. */
export function copiesOf({ name, values }: HeaderAction): [variable: string, field: string][] {
  const found: [variable: string, field: string][] = [];
  for (const value of values)
    for (const part of value) {
      const variable = "variable" in part ? part.variable.toLowerCase() : "";
      if (MAY_BE_CREDENTIAL.test(variable)) found.push([variable, name.toLowerCase()]);
    }
  return found;
}

function copiesIn(steps: readonly Step[]): [variable: string, field: string][] {
  const found = steps
    .flatMap((step) => headerActionsOf(step).flatMap(copiesOf))
    .map((copy) => copy.join(" "));
  if (found.length === 0) return [];
  return [...new Set(found)].sort().map((pair) => pair.split(" ") as [string, string]);
}
