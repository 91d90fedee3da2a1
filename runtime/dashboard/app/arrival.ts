import { useLocation, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "../api/session";
import { PAGES } from "./page-list";

/** Maximum number of frames to wait for a page. */
const FRAMES = 120;

/** Titles the window after the open page ("orders · Routes · gwc"), for tabs and the browser's history. */
export function useWindowTitle(): void {
  const { t } = useTranslation();
  const isSignedIn = useSession() !== undefined;
  const { pathname } = useLocation();
  const title = isSignedIn ? titleOf(pathname, (key) => t(key as "page.routes")) : "gwc";
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** A list that the navigation reaches through the plugins. */
const METADATA = "/plugin_metadata";

function titleOf(pathname: string, word: (key: string) => string): string {
  const [first = "", second, third] = pathname.split("/").filter(Boolean).map(named);
  const labelAt = (path: string) =>
    PAGES.find((page) => page.path === path)?.label ??
    (path === METADATA ? "page.plugin_metadata" : undefined);
  const label = labelAt(pathname) ?? labelAt(`/${first}`);
  const isSpecial = first === "module" || first === "new";
  const kind = labelAt(`/${second}`);
  const parts =
    isSpecial && kind !== undefined
      ? [first === "new" ? word(`new.${second}`) : `${third} · ${word("modules.title")}`, word(kind)]
      : label === undefined
        ? []
        : [...(second !== undefined && labelAt(pathname) === undefined ? [second] : []), word(label)];
  return [...parts, "gwc"].join(" · ");
}

function named(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * Moves the focus to the heading after a navigation. Otherwise the focus is lost with the followed link, and
 * a screen reader does not announce the page. A field that takes the focus itself keeps it.
 */
export function useArrival(): void {
  const arrived = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef<string>(undefined);
  useEffect(() => {
    const from = before.current;
    before.current = arrived;
    if (from === undefined || arrived === undefined || from === arrived) return;
    let [frame, left] = [0, FRAMES];
    const look = () => {
      left -= 1;
      const heading = document.querySelector<HTMLElement>("main h1");
      if (isTaken()) return;
      if (heading === null) {
        if (left > 0) frame = requestAnimationFrame(look);
        return;
      }
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    };
    frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [arrived]);
}

function isTaken(): boolean {
  const { activeElement } = document;
  return activeElement?.closest("main, [role=dialog]") != null && activeElement.tagName !== "MAIN";
}
