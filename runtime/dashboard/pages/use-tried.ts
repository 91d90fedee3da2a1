import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { MAX_SUBJECT, type RegexTestInput, testRegex } from "../api/regex";

/** Debounce time in ms. */
export const QUIET_MS = 120;

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** @param asked debounced input: each value causes a request */
export function useTried(asked: RegexTestInput) {
  const bytes = useMemo(() => bytesOf(asked.subject), [asked.subject]);
  const isTooLong = bytes > MAX_SUBJECT;
  const { data, error, refetch } = useQuery({
    queryKey: ["regex", asked],
    enabled: asked.pattern !== "" && !isTooLong,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
    queryFn: async ({ signal }) => ({ of: asked, tried: await testRegex(asked, signal) }),
  });
  return { answer: asked.pattern === "" ? undefined : data, error, refetch, bytes, isTooLong };
}
