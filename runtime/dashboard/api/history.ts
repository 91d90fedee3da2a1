import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Answers, Change } from "./answers.gen";
import { callAdmin } from "./client";

/** One change, as the list has it. */
export type { Change };
/** A change with both versions; null where there was nothing. */
export type WholeChange = Extract<Answers["readChange"], { taken_back: unknown }>;
type Listed = Answers["listChanges"];

export type Origin = Change["origin"];
export const ORIGINS: readonly Origin[] = ["store", "files"];

/** Which changes are wanted; all stands in the address. */
export interface HistorySearch {
  /** Words that each must be in resource, key, address, note or changed fields. */
  search?: string;
  /** Files or store; both where it is not said. */
  origin?: Origin;
  /** Kind and id of one resource: both or neither. */
  kind?: string;
  id?: string;
}

/** Newest first, a page at a time. */
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
    queryFn: async ({ signal }) => (await callAdmin<WholeChange>(`history/${number}`, { signal })).body,
  });

/**
 * Number of the deletion of a resource that the store had; none where no history is kept, where somebody has made it again, and where the
 * gateway does not answer: the deletion is made all the same.
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

/** How a change is taken back. */
interface Revert {
  note?: string;
  /** Over later changes of the same fields: only while what is there (null: nothing) is what was shown. */
  over?: WholeChange["now"];
}

/** Undoes a change; later changes of other fields stay. @throws AdminError 409 where a later change has the same fields, 412 */
export function revert(number: number, { note = "", over }: Revert = {}): Promise<unknown> {
  const index = over?.["modifiedIndex"];
  const shown =
    over === null ? { onlyNew: true } : { ifMatch: index === undefined ? undefined : `"${index}"` };
  const path = `history/${number}/revert${over === undefined ? "" : "?over=true"}`;
  return callAdmin(path, { method: "POST", body: {}, note, ...shown });
}
