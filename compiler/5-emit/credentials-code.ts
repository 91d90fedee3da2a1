import { utf8 } from "../../runtime/abi/text/bytes.js";
import { copiesOf } from "../4-plan/credentials.js";
import { headerActionsOf, withheldFields } from "../4-plan/header-effects.js";
import { below, settingsOf } from "../model/config-path.js";
import type { ConfigPath, Json, PlannedPipeline } from "../model/plan.js";
import { Code, from } from "../plugin/code.js";
import { type CredentialPlace, credentialSettings } from "../plugin/credential-settings.js";
import { dataCode, listCode, objectCode, type Tagging } from "./object.js";
import { literalCode } from "./printers.js";

/** Config paths of the settings that items of lists come from, by list name and item. */
class ItemOrigins {
  readonly #origins: Map<string, ConfigPath> = new Map();

  /** Adds a config path; the first of several settings with the same item counts. */
  add(list: string, item: Json, origin: ConfigPath): void {
    const key = keyOf(list, item);
    if (!this.#origins.has(key)) this.#origins.set(key, origin);
  }

  of(list: string, item: Json): ConfigPath | undefined {
    return this.#origins.get(keyOf(list, item));
  }
}

const keyOf = (list: string, item: Json): string =>
  `${list} ${typeof item === "string" ? item : JSON.stringify(item)}`;

const LISTS: Readonly<Record<CredentialPlace, string>> = { header: "headers", query: "query" };

/** `credentials` of a module; null if its pipeline has none. */
export function credentialsCode(pipeline: PlannedPipeline): Code | null {
  if (pipeline.credentials === undefined) return null;
  const origins = new ItemOrigins();
  for (const { plugin, origin, data } of [...(pipeline.resources ?? []), ...pipeline.steps]) {
    for (const [field, place] of credentialSettings(plugin)) {
      const value = (data as Record<string, unknown> | null)?.[field];
      if (typeof value !== "string") continue;
      origins.add(LISTS[place], utf8(value).toLowerCase(), below(settingsOf(origin), [field]));
    }
  }
  for (const action of pipeline.steps.flatMap(headerActionsOf))
    for (const copy of copiesOf(action)) origins.add("copies", copy, action.origin);
  const lists = Object.entries(pipeline.credentials).filter(([, items]) => items.length > 0);
  return listsCode(Object.fromEntries(lists), origins);
}

/** `withheld` of a module; null if its pipeline withholds no header. */
export function withheldCode({ steps }: PlannedPipeline): Code | null {
  const fields = Object.entries(withheldFields(steps)).flatMap(([message, names]): [Code, Code][] => {
    if (names.size === 0) return [];
    const sorted = [...names].sort(([one], [other]) => (one < other ? -1 : 1));
    const items = sorted.map(([name, origin]) => from(origin, literalCode(name)));
    return [[new Code(message), listCode(items)]];
  });
  return fields.length === 0 ? null : objectCode(fields);
}

function listsCode(lists: Readonly<Record<string, readonly Json[]>>, origins: ItemOrigins): Code {
  const itemTagging = (list: string, index: number): Tagging => {
    const origin = origins.of(list, lists[list]?.[index] ?? null);
    return origin === undefined ? UNTAGGED : { ...UNTAGGED, tagged: (code) => from(origin, code) };
  };
  const tagging: Tagging = {
    ...UNTAGGED,
    member: (list) => ({ ...UNTAGGED, item: (index) => itemTagging(list, index) }),
  };
  return dataCode(lists, tagging);
}

const UNTAGGED: Tagging = { member: () => UNTAGGED, item: () => UNTAGGED, tagged: (code) => code };
