import { useNavigate } from "@tanstack/react-router";
import { useLayoutEffect, useRef } from "react";
import { openKeyHelp } from "./key-help";
import { PAGES } from "./page-list";

/** Milliseconds between `g` and the key of a page. */
const SEQUENCE_MS = 1_000;

/** What a key would write on a Latin keyboard: with a Cyrillic layout "к" stands where R is. Other layouts (AZERTY) keep their own. */
function latinKey({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length !== 1 || key.charCodeAt(0) < 0x400) return key.length === 1 ? key.toLowerCase() : key;
  if (code === "Slash") return shiftKey ? "?" : "/";
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key;
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return /^(?:INPUT|TEXTAREA|SELECT)$/.test(element?.tagName ?? "") || element?.isContentEditable === true;
}

/** Ctrl or ⌘ with a letter, wherever the focus is; the browser's own meaning of it is never wanted here. */
export function useModKey(letter: string, act: () => void): void {
  const newest = useRef(act);
  newest.current = act;
  // With the page itself, not a frame later: a key pressed as soon as one sees it counts.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      if (latinKey(event) !== letter) return;
      event.preventDefault();
      newest.current();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [letter]);
}

/**
 * Keys that work on every page while no field has the focus and no dialog is open, under which nothing may change: `g` and a page's
 * letter, `/` for its search, `?` for help.
 */
export function useShortcuts(): void {
  const navigate = useNavigate();
  const begun = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('[aria-modal="true"]')) return;
      const pressed = latinKey(event);
      const isSecond = event.timeStamp - begun.current <= SEQUENCE_MS;
      const page = isSecond ? PAGES.find(({ key }) => key === pressed) : undefined;
      begun.current = pressed === "g" && page === undefined ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (page !== undefined) void navigate({ to: page.to, params: page.params });
      else if (pressed === "?") openKeyHelp();
      else if (pressed === "/") document.querySelector<HTMLInputElement>("input[type=search]")?.focus();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [navigate]);
}
