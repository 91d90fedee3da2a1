import { isObject } from "../../runtime/abi/json-object.js";
import { CredentialNames, distinctNames } from "../2-validate/credential-names.js";
import type { Resource } from "../model/resource.js";
import { pluginNames } from "../plugin/registry.js";
import { type FoundCredentials, shownNowhere } from "./found-credentials.js";

type Searched = Pick<Resource, "kind" | "value">;

/**
 * Needs no compiler that holds the running configuration, since a gateway that runs a build has none, and no
 * package but gwc itself.
 * @param running all running resources
 */
export function credentialsAmong(running: readonly Searched[], asked: readonly Searched[]): FoundCredentials {
  const values = [...running, ...asked].map(({ value }) => value);
  const names = new CredentialNames(function* () {
    yield* distinctNames(values);
    yield* perhapsNames(values);
  });
  return { key: names.key, places: asked.map((resource) => shownNowhere(resource, names)) };
}

/** Name of a header, argument or cookie, as opposed to a sentence. */
const NAME = /^[\w.!$-]{1,64}$/;

/** Texts in settings of packages, which are not loaded here: each may name a header that carries credentials. */
function* perhapsNames(values: readonly unknown[]): Iterable<string> {
  const known = new Set(pluginNames());
  for (const value of values) {
    const plugins = isObject(value) && isObject(value["plugins"]) ? value["plugins"] : {};
    for (const [plugin, settings] of Object.entries(plugins))
      if (!known.has(plugin) && isObject(settings))
        for (const text of Object.values(settings))
          if (typeof text === "string" && NAME.test(text)) yield text;
  }
}
