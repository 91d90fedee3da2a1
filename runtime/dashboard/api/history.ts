import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Answers, Change } from "./answers.gen";
import { callAdmin, fetched } from "./client";

export type { Change };
/** A change with both versions; null if there was none. */
export type WholeChange = Extract<Answers["readChange"], { taken_back: unknown }>;
type Listed = Answers["listChanges"];

export type Origin = Change["origin"];
export const ORIGINS: readonly Origin[] = ["store", "files"];

/** Selects changes; all of it is in the URL. */
export interface HistorySearch {
  /** Words, each of which must be in resource, key, address, note or changed fields. */
  search?: string;
  /** Files or store; both if undefined. */
  origin?: Origin;
  /** Kind and id of one resource: both or neither. */
  kind?: string;
  id?: string;
}

/** Newest changes first, one page at a time. */
export const historyQuery = ({ search, origin, kind, id }: HistorySearch) =>
  infiniteQueryOptions({
    queryKey: ["resources", "history", { search, origin, kind, id }],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const asked = new URLSearchParams({
        limit: "50",
        ...(pageParam !== 0 && { before: String(pageParam) }),
        ...(search && { search }),
        ...(origin && { origin }),
        ...(kind && { kind }),
        ...(id && { id }),
      });
      return (await callAdmin<Listed>(`history?${asked}`, { signal })).body;
    },
    getNextPageParam: ({ list, more }: Listed) => (more ? list.at(-1)?.number : undefined),
  });

export const changeQuery = (number: number) =>
  queryOptions({
    queryKey: ["resources", "history", number],
    queryFn: fetched<WholeChange>(`history/${number}`),
  });

/**
 * Number of the change that deleted a resource of the store. None if there is no history, if the resource
 * exists again, or if the gateway does not respond: the deletion itself succeeded.
 */
export async function deletionOf(kind: string, id: string): Promise<number[]> {
  const query = new URLSearchParams({ kind, id, origin: "store", limit: "1" });
  try {
    const { list } = (await callAdmin<Listed>(`history?${query}`)).body;
    return list.filter(({ did }) => did === "deleted").map(({ number }) => number);
  } catch {
    return [];
  }
}

interface Revert {
  note?: string;
  /** Reverts also fields that later changes touched, but only while the resource (null: none) is this version. */
  over?: WholeChange["now"];
}

/**
 * Reverts a change; later changes of other fields stay.
 * @throws AdminError 409 if a later change has the same fields, 412 if the resource is not the shown version
 */
export function revert(number: number, { note = "", over }: Revert = {}): Promise<unknown> {
  const index = over?.["modifiedIndex"];
  const shown =
    over === null ? { onlyNew: true } : { ifMatch: index === undefined ? undefined : `"${index}"` };
  const path = `history/${number}/revert${over === undefined ? "" : "?over=true"}`;
  return callAdmin(path, { method: "POST", body: {}, note, ...shown });
}
