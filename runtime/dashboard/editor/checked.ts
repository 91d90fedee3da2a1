import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { AdminError, type Finding } from "../api/client";
import { type PutOptions, put } from "../api/resources";

export interface Checked {
  findings: readonly Finding[];
  /** Rejection in one sentence, if the admin API returns no diagnostic (an id, a missing resource). */
  refusal?: string;
  /** Checked text, which the spans of the diagnostics refer to. */
  text?: string;
  /** The diagnostics belong to the current text. */
  current: boolean;
}

interface Asked extends Pick<PutOptions, "kind" | "id" | "text" | "over" | "onlyNew"> {
  enabled: boolean;
}

/** Debounce time in ms, longer than the 33 ms of a repeating key: diagnostics appear within 150 ms of it. */
const QUIET_MS = 40;
const NONE: readonly Finding[] = [];

/** @throws AdminError */
type DryRun = (text: string, signal: AbortSignal) => Promise<{ body: { warnings?: Finding[] } }>;

/** Dry run after each pause in typing. @param key identifies the checked resource */
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

export function useChecked({ kind, id, text, over, onlyNew, enabled }: Asked): Checked {
  const named = id === "" ? "draft" : id;
  return useDryRun([kind, id], text, enabled, (rested, signal) =>
    put({ ...{ kind, id: named, text: rested, over, signal }, onlyNew: onlyNew && id !== "", dryRun: true }),
  );
}
