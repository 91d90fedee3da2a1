import { threeWay } from "../../abi/three-way";
import type { Kind, Value } from "../api/resources";
import { type Draft, isWhole, textOf, withValue } from "./draft";

/**
 * A draft that goes on from a version of the gateway's. A text that is being typed stays as it is, so that the cursor does.
 * @param until draft that the version was made of
 * @param typed draft of now
 */
export function since(until: Draft, typed: Draft, version: Value): Draft {
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

/** Gives what was typed while a new resource was made to its page, which comes next. */
export function handDraft(draft: Handed): void {
  handed = draft;
}

/** Draft that the page of a resource begins with. */
export function handedDraft(kind: Kind, id: string, value: Value): Draft {
  const given = handed?.kind === kind && handed.id === id ? handed : undefined;
  handed = undefined;
  return given === undefined ? { value } : since(given.until, given.typed, value);
}
