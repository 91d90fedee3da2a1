import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { AdminError, type Finding } from "../api/client";
import { type PutOptions, put } from "../api/resources";

/** Findings of the compiler on a text that is being written. */
export interface Checked {
  findings: readonly Finding[];
  /** The refusal in one sentence, where the admin API gives no finding (an id, a missing resource). */
  refusal?: string;
  /** The text that it is said of: places in findings are its. */
  text?: string;
  /** The findings are of the text as it is now. */
  current: boolean;
}

interface Asked extends Pick<PutOptions, "kind" | "id" | "text" | "over" | "onlyNew"> {
  enabled: boolean;
}

/** After the last key: longer than the 33 ms of a key that repeats. With the compile that follows, findings are there within 150 ms. */
const QUIET_MS = 40;
const NONE: readonly Finding[] = [];

/** A write that changes nothing. @throws AdminError */
type DryRun = (text: string, signal: AbortSignal) => Promise<{ body: { warnings?: Finding[] } }>;

/**
 * Asks the real compiler, by a write that is none, whenever the text rests.
 * @param key what is written, beside the text
 */
export function useDryRun(key: readonly string[], text: string, enabled: boolean, trial: DryRun): Checked {
  const [rested] = useDebouncedValue(text, QUIET_MS);
  const { data, isPlaceholderData } = useQuery({
    queryKey: ["checked", ...key, rested],
    enabled,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    queryFn: async ({ signal }): Promise<Omit<Checked, "current">> => {
      try {
        const { body } = await trial(rested, signal);
        return { findings: body.warnings ?? NONE, text: rested };
      } catch (error) {
        if (!(error instanceof AdminError)) throw error;
        const { findings, message } = error;
        return findings.length > 0
          ? { findings, text: rested }
          : { findings: NONE, refusal: message, text: rested };
      }
    },
  });
  return { findings: NONE, ...data, current: data !== undefined && !isPlaceholderData && rested === text };
}

/** Findings of the compiler on a resource that is being written. */
export function useChecked({ kind, id, text, over, onlyNew, enabled }: Asked): Checked {
  const named = id === "" ? "draft" : id;
  return useDryRun([kind, id], text, enabled, (rested, signal) =>
    put({ ...{ kind, id: named, text: rested, over, signal }, onlyNew: onlyNew && id !== "", dryRun: true }),
  );
}
