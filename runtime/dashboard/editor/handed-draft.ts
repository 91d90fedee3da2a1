import { threeWay } from "../../abi/three-way";
import type { Kind, Value } from "../api/resources";
import { type Draft, isWhole, textOf, withValue } from "./draft";

/**
 * A text with unsaved changes stays as it is, so that the cursor does not move.
 * @param until draft that the version was made from
 * @param typed current draft
 */
export function rebased(until: Draft, typed: Draft, version: Value): Draft {
  const isSame = isWhole(typed) && textOf(typed.value, "json") === textOf(until.value, "json");
  if (isSame) return { value: version };
  if (typed.text !== undefined) return typed;
  return withValue(typed, threeWay(until.value, version, typed.value).value, typed.unreadable);
}

interface Handed {
  kind: Kind;
  id: string;
  until: Draft;
  typed: Draft;
}
let handed: Handed | undefined;

/** Passes text typed during the creation of a resource to the page of the resource, which opens next. */
export function handDraft(draft: Handed): void {
  handed = draft;
}

export function handedDraft(kind: Kind, id: string, value: Value): Draft {
  const given = handed?.kind === kind && handed.id === id ? handed : undefined;
  handed = undefined;
  return given === undefined ? { value } : rebased(given.until, given.typed, value);
}
