import { useSyncExternalStore } from "react";

/** Interval in ms of polls for an unreachable gateway: a killed control restarts within two seconds. */
export const ASK_AGAIN_MS = 2_000;

/** Time in ms since the epoch of the first call without a response; undefined if the last call had one. */
let since: number | undefined;
const listeners = new Set<() => void>();

function become(now: number | undefined): void {
  if ((since === undefined) === (now === undefined)) return;
  since = now;
  for (const listener of listeners) listener();
}

/** Called after each call of the admin API that had a response, even an error. */
export const answered = (): void => become(undefined);
export const unanswered = (): void => become(Date.now());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Time since which the gateway does not respond; undefined if it does. */
export const useAwaySince = (): number | undefined => useSyncExternalStore(subscribe, () => since);
