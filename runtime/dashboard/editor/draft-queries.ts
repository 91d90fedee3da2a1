import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { DraftedModules as Drafted, Effect, Outcome, TrafficChange } from "../api/answers.gen";
import { type AdminAnswer, AdminError, type Finding } from "../api/client";
import { type PutOptions, put, type WriteAnswer } from "../api/resources";

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

export type SentDraft = Pick<PutOptions, "kind" | "id" | "text" | "over">;

/** Debounce time in ms, longer than for diagnostics, because more is computed. */
const RESTED_MS = 400;

/** Requests data after each pause in typing. Used only while the result is visible. */
export function useRestedDraft<Answer>(
  name: readonly string[],
  { kind, id, text, over }: SentDraft,
  ask: (options: Omit<PutOptions, "dryRun">) => Promise<Answer>,
) {
  const [rested] = useDebouncedValue(text, RESTED_MS);
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

/** A request with a changed response; the gateway has simulated both sides. */
export type Example = NonNullable<TrafficChange["example"]>;
export type { Outcome };
export type DraftedModules = NonNullable<Drafted>;

/** @throws AdminError if the write would be rejected */
export async function readEffect(options: Omit<PutOptions, "dryRun">): Promise<Effect> {
  const { body } = (await put({ ...options, dryRun: "effect" })) as AdminAnswer<
    WriteAnswer & { effect: Effect }
  >;
  return body.effect;
}

/** Returns null if generating the modules would take long. */
export async function readModules(
  options: Omit<PutOptions, "dryRun" | "of">,
  of: string | undefined,
): Promise<DraftedModules | null> {
  const { body } = (await put({ ...options, dryRun: "module", of })) as AdminAnswer<
    WriteAnswer & { modules: DraftedModules | null }
  >;
  return body.modules;
}
