import { Kbd, Table } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useNavigate } from "@tanstack/react-router";
import i18next from "i18next";
import { useLayoutEffect, useRef } from "react";
import { PAGES } from "./page-list";

/** Maximum time in ms between `g` and the key of a page. */
const SEQUENCE_MS = 1_000;

/** With a Cyrillic layout "к" is on the R key. Other layouts (AZERTY) keep their own letters. */
function latinKey({ key, code, shiftKey }: KeyboardEvent): string {
  if (key.length !== 1 || key.charCodeAt(0) < 0x400) return key.length === 1 ? key.toLowerCase() : key;
  if (code === "Slash") return shiftKey ? "?" : "/";
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key;
}

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return /^(?:INPUT|TEXTAREA|SELECT)$/.test(element?.tagName ?? "") || element?.isContentEditable === true;
}

/** Action of a key; the newest of several runs, and may call the previous one. */
type Act = (outer: () => void) => void;
const acting = new Map<string, { current: Act }[]>();

function actAt(letter: string, level: number): void {
  acting.get(letter)?.[level]?.current(() => actAt(letter, level - 1));
}

/** Binds Ctrl or ⌘ in place of the browser's action. A dialog receives the key before its page, and can pass it on. */
export function useModKey(letter: string, act: Act): void {
  const newest = useRef(act);
  newest.current = act;
  // Bound with the page itself, not a frame later, so that a key works as soon as the page is visible.
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

/** Time at which `g` was pressed; the next key selects a page. */
let begun = Number.NEGATIVE_INFINITY;

const isSecond = ({ timeStamp }: KeyboardEvent): boolean => timeStamp - begun <= SEQUENCE_MS;

/** Single-letter keys do nothing in a text field or below a dialog. */
const isElsewhere = (event: KeyboardEvent): boolean =>
  isTyping(event.target) ||
  event.ctrlKey ||
  event.metaKey ||
  event.altKey ||
  document.querySelector('[aria-modal="true"]') !== null;

/** Binds `j` and `k` in a list, independent of the focus. */
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
 * Binds keys of every page, unless a field has the focus or a dialog is open: `g` and the letter of a page,
 * `/` for the search, `?` for help.
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

function openKeyHelp(): void {
  const t = i18next.t;
  const rows: [string[], string][] = [
    [["Ctrl", "K"], t("keys.palette")],
    [["/"], t("keys.search")],
    [["j"], t("keys.next_row")],
    [["k"], t("keys.previous_row")],
    [["Ctrl", "S"], t("keys.save")],
    [["F1"], t("keys.field")],
    [["?"], t("keys.help")],
    ...PAGES.map(({ key, label }): [string[], string] => [["g", key], t("keys.go", { page: t(label) })]),
  ];
  modals.open({
    title: t("keys.title"),
    closeButtonProps: { "aria-label": t("action.close") },
    children: (
      <Table>
        <Table.Tbody>
          {rows.map(([keys, does]) => (
            <Table.Tr key={keys.join(" ")}>
              <Table.Td w={120}>
                {keys.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    ),
  });
}
