import { useSyncExternalStore } from "react";

/** Milliseconds between two questions whether the gateway is back: a control that was killed is started again within two seconds. */
export const ASK_AGAIN_MS = 2_000;

/** Milliseconds since the epoch at which a call got no answer; undefined: the last one got one. */
let since: number | undefined;
const listeners = new Set<() => void>();

function become(now: number | undefined): void {
  if ((since === undefined) === (now === undefined)) return;
  since = now;
  for (const listener of listeners) listener();
}

/** Each call of the admin API tells whether there was an answer, whatever it said. */
export const answered = (): void => become(undefined);
export const unanswered = (): void => become(Date.now());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Since when the gateway does not answer; undefined: it does. */
export const useAwaySince = (): number | undefined => useSyncExternalStore(subscribe, () => since);
