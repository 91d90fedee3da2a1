import { type MouseEvent, type RefObject, useLayoutEffect, useRef } from "react";

const FIELDS = "input:not([type=hidden]), textarea, select, .cm-content";

export interface EntryFocus {
  ref: RefObject<HTMLDivElement | null>;
  onClickCapture(event: MouseEvent): void;
}

/**
 * Focuses a new entry. After a removal it focuses the button that removes the next entry, so that Enter
 * removes several; after the last one the button that adds. Changes from elsewhere move no focus.
 */
export function useEntryFocus(count: number): EntryFocus {
  const ref = useRef<HTMLDivElement>(null);
  const pressed = useRef<number | undefined>(undefined);
  const before = useRef(count);
  useLayoutEffect(() => {
    const [was, at] = [before.current, pressed.current];
    before.current = count;
    if (was === count || at === undefined || ref.current === null) return;
    pressed.current = undefined;
    const entries = entriesOf(ref.current);
    const next = entries[Math.min(at, entries.length - 1)];
    if (count > was) entries.at(-1)?.querySelector<HTMLElement>(FIELDS)?.focus();
    else (next === undefined ? ownButton(ref.current) : removing(next))?.focus();
  }, [count]);
  function onClickCapture({ target }: MouseEvent) {
    const element = target as HTMLElement;
    if (ref.current === null || element.closest("[data-entries]") !== ref.current) return;
    const entry = element.closest<HTMLElement>("[data-entry]");
    pressed.current = entry === null ? -1 : entriesOf(ref.current).indexOf(entry);
  }
  return { ref, onClickCapture };
}

const isOf = (group: HTMLElement) => (element: Element) => element.closest("[data-entries]") === group;

const entriesOf = (group: HTMLElement): HTMLElement[] =>
  [...group.querySelectorAll<HTMLElement>("[data-entry]")].filter(isOf(group));

const ownButton = (group: HTMLElement): HTMLElement | undefined =>
  [...group.querySelectorAll<HTMLElement>("[data-add]")].find(isOf(group));

/** Button that removes an entry. Entries may contain lists of their own, whose buttons belong to inner entries. */
function removing(entry: HTMLElement): HTMLElement | undefined {
  const all = [...entry.querySelectorAll<HTMLElement>("[data-remove]")];
  return all.find((each) => each.closest("[data-entry]") === entry);
}
