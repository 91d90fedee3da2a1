import { useNavigate } from "@tanstack/react-router";
import { useLayoutEffect, useRef } from "react";
import { openKeyHelp } from "./key-help";
import { PAGES } from "./page-list";

/** Milliseconds between `g` and the key of a page. */
const SEQUENCE_MS = 1_000;

/** Letter of a key on a Latin keyboard: with a Cyrillic layout "к" stands where R is. Other layouts (AZERTY) keep their own. */
function latinKey({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length !== 1 || key.charCodeAt(0) < 0x400) return key.length === 1 ? key.toLowerCase() : key;
  if (code === "Slash") return shiftKey ? "?" : "/";
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key;
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return /^(?:INPUT|TEXTAREA|SELECT)$/.test(element?.tagName ?? "") || element?.isContentEditable === true;
}

/** Action of a key; the newest of several acts, and may call the one before it. */
type Act = (outer: () => void) => void;
const acting = new Map<string, { current: Act }[]>();

function actAt(letter: string, level: number): void {
  acting.get(letter)?.[level]?.current(() => actAt(letter, level - 1));
}

/**
 * Ctrl or ⌘ with a letter, wherever the focus is; the browser's own meaning of it is never wanted here. What is opened above a page
 * takes the key of the page, and hands it on.
 */
export function useModKey(letter: string, act: Act): void {
  const newest = useRef(act);
  newest.current = act;
  // With the page itself, not a frame later: a key pressed as soon as one sees it counts.
  useLayoutEffect(() => {
    const levels = acting.get(letter) ?? [];
    acting.set(letter, [...levels, newest]);
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      if (latinKey(event) !== letter) return;
      event.preventDefault();
      const all = acting.get(letter) ?? [];
      if (all.at(-1) === newest) actAt(letter, all.length - 1);
    };
    window.addEventListener("keydown", press);
    return () => {
      window.removeEventListener("keydown", press);
      acting.set(letter, acting.get(letter)?.filter((each) => each !== newest) ?? []);
    };
  }, [letter]);
}

/** Time at which `g` was pressed, which takes the next key for a page's. */
let begun = Number.NEGATIVE_INFINITY;

const isSecond = ({ timeStamp }: KeyboardEvent): boolean => timeStamp - begun <= SEQUENCE_MS;

/** Keys of one letter do nothing while one types, or below a dialog. */
const isElsewhere = (event: KeyboardEvent): boolean =>
  isTyping(event.target) ||
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  document.querySelector('[aria-modal="true"]') !== null;

/** `j` and `k` in a list, from wherever the focus is. */
export function useRowKeys(move: (step: 1 | -1) => void): void {
  const newest = useRef(move);
  newest.current = move;
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isElsewhere(event) || isSecond(event)) return;
      const pressed = latinKey(event);
      if (pressed !== "j" && pressed !== "k") return;
      event.preventDefault();
      newest.current(pressed === "j" ? 1 : -1);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
}

/**
 * Keys that work on every page while no field has the focus and no dialog is open, under which nothing may change: `g` and a page's
 * letter, `/` for its search, `?` for help.
 */
export function useShortcuts(): void {
  const navigate = useNavigate();
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isElsewhere(event)) return;
      const pressed = latinKey(event);
      const page = isSecond(event) ? PAGES.find(({ key }) => key === pressed) : undefined;
      begun = pressed === "g" && page === undefined ? event.timeStamp : Number.NEGATIVE_INFINITY;
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
