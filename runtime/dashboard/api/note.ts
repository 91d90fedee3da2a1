import { useSyncExternalStore } from "react";

/** Why the change is made that is about to be saved: the history keeps it with the change. Characters that the gateway takes. */
export const MAX_NOTE = 1_000;

let note = "";
const listeners = new Set<() => void>();

export function setNote(text: string): void {
  note = text;
  for (const listener of listeners) listener();
}

/** Said with every write until it is taken back: a save that is refused keeps it. */
export const currentNote = (): string => note.trim();

export const useNote = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => note,
  );
