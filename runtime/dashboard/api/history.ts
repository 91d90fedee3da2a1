import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Answers } from "./answers.gen";
import { callAdmin } from "./client";

/** One change, as the list has it. */
export type { Change } from "./answers.gen";
/** A change with both versions; null where there was nothing. */
export type WholeChange = Answers["readChange"];
type Listed = Answers["listChanges"];

/** Which changes are wanted; all stands in the address. */
export interface HistorySearch {
  /** Words that each must be in resource, key, address, note or changed fields. */
  search?: string;
  /** Of one resource: both or neither. */
  kind?: string;
  id?: string;
}

/** Newest first, a page at a time. */
export const historyQuery = ({ search, kind, id }: HistorySearch) =>
  infiniteQueryOptions({
    queryKey: ["resources", "history", { search, kind, id }],
    initialPageParam: 0,
    queryFn: async ({ pageParam, signal }) => {
      const asked = new URLSearchParams({
        limit: "50",
        ...(pageParam !== 0 && { before: String(pageParam) }),
        ...(search && { search }),
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

/** Number of the newest change of a resource; none where no history is kept. */
export async function lastChange(kind: string, id: string): Promise<number[]> {
  const query = new URLSearchParams({ kind, id, limit: "1" });
  return (await callAdmin<Listed>(`history?${query}`)).body.list.map(({ number }) => number);
}

/** Makes the resource what it was before a change. @throws AdminError 409 when it has changed since */
export const revert = (number: number) => callAdmin(`history/${number}/revert`, { method: "POST", body: {} });
