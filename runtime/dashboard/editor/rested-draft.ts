import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { PutOptions } from "../api/resources";

export type SentDraft = Pick<PutOptions, "kind" | "id" | "text" | "over">;

/** Debounce time in ms, longer than for diagnostics, because more is computed. */
const QUIET_MS = 400;

/** Requests data after each pause in typing. Used only while the result is visible. */
export function useRestedDraft<Answer>(
  name: readonly string[],
  { kind, id, text, over }: SentDraft,
  ask: (options: Omit<PutOptions, "dryRun">) => Promise<Answer>,
) {
  const [rested] = useDebouncedValue(text, QUIET_MS);
  const asked = useQuery({
    queryKey: [...name, kind, id, rested],
    placeholderData: keepPreviousData,
    // The result depends on the running configuration, which other users may change.
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) => ask({ kind, id: id === "" ? "draft" : id, text: rested, over, signal }),
  });
  return { ...asked, current: !asked.isPlaceholderData && !asked.isFetching && rested === text };
}
