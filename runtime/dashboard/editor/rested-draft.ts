import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { PutOptions } from "../api/resources";

/** A draft as it is sent. */
export type SentDraft = Pick<PutOptions, "kind" | "id" | "text" | "over">;

/** Milliseconds after the last key: more than for findings, since more is worked out. */
const QUIET_MS = 400;

/** Asks something of a draft whenever typing rests. Used only where the answer is in sight. @param name what is asked */
export function useRestedDraft<Answer>(
  name: readonly string[],
  { kind, id, text, over }: SentDraft,
  ask: (options: Omit<PutOptions, "dryRun">) => Promise<Answer>,
) {
  const [rested] = useDebouncedValue(text, QUIET_MS);
  const asked = useQuery({
    queryKey: [...name, kind, id, rested],
    placeholderData: keepPreviousData,
    // The answer is of the running configuration: a write of somebody else changes it.
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) => ask({ kind, id: id === "" ? "draft" : id, text: rested, over, signal }),
  });
  return { ...asked, current: !asked.isPlaceholderData && !asked.isFetching && rested === text };
}
