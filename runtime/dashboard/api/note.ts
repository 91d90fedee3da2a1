import { useSyncExternalStore } from "react";

export const MAX_NOTE = 1_000;

let note = "";
const listeners = new Set<() => void>();

export function setNote(text: string): void {
  note = text;
  for (const listener of listeners) listener();
}

/** Note of every write until it is cleared: a rejected save keeps it. */
export const currentNote = (): string => note.trim();

export const useNote = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => note,
  );
