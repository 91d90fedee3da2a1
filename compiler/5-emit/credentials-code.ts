import { utf8 } from "../../runtime/abi/text/bytes.js";
import { copiesOf, headerActions } from "../4-plan/credentials.js";
import { withheldFields } from "../4-plan/withheld.js";
import { below, settingsOf } from "../model/config-path.js";
import type { ConfigPath, PlannedPipeline } from "../model/plan.js";
import type { Json } from "../model/record-plan.js";
import { type CredentialPlace, credentialSettings } from "../plugin/credential-settings.js";
import { Code } from "../plugin/definition.js";
import { indented } from "./layout.js";
import { dataCode, listCode, objectCode, type Tagging } from "./object.js";
import { printLiteral } from "./printers.js";
import type { ModuleScope } from "./scope.js";

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
export function credentialsCode(pipeline: PlannedPipeline, scope: ModuleScope): Code | null {
  if (pipeline.credentials === undefined) return null;
  const origins = new ItemOrigins();
  for (const { plugin, origin, data } of [...(pipeline.resources ?? []), ...pipeline.steps]) {
    for (const [field, place] of credentialSettings(plugin)) {
      const value = (data as Record<string, unknown> | null)?.[field];
      if (typeof value !== "string") continue;
      origins.add(LISTS[place], utf8(value).toLowerCase(), below(settingsOf(origin), [field]));
    }
  }
  for (const action of pipeline.steps.flatMap(({ data }) => headerActions(data)))
    for (const copy of copiesOf(action)) origins.add("copies", copy, action.origin);
  return listsCode({ ...pipeline.credentials }, origins, scope);
}

/** `withheld` of a module; null if its pipeline withholds no header. */
export function withheldCode({ steps }: PlannedPipeline, scope: ModuleScope): Code | null {
  const fields = Object.entries(withheldFields(steps)).flatMap(([message, names]): [string, string][] => {
    if (names.size === 0) return [];
    const sorted = [...names].sort(([one], [other]) => (one < other ? -1 : 1));
    return [[message, listCode(sorted.map(([name, origin]) => scope.from(origin, printLiteral(name))))]];
  });
  return fields.length === 0 ? null : new Code(indented(objectCode(fields), "  ").trimStart());
}

function listsCode(
  lists: Readonly<Record<string, readonly Json[]>>,
  origins: ItemOrigins,
  scope: ModuleScope,
): Code {
  const itemTagging = (list: string, index: number): Tagging => {
    const origin = origins.of(list, lists[list]?.[index] ?? null);
    return origin === undefined ? UNTAGGED : { ...UNTAGGED, tagged: (code) => scope.from(origin, code) };
  };
  const tagging: Tagging = {
    ...UNTAGGED,
    member: (list) => ({ ...UNTAGGED, item: (index) => itemTagging(list, index) }),
  };
  return new Code(indented(dataCode(lists, tagging), "  ").trimStart());
}

const UNTAGGED: Tagging = { member: () => UNTAGGED, item: () => UNTAGGED, tagged: (code) => code };
