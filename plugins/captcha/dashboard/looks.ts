import type { Value } from "../../../runtime/dashboard/plugin-kit";

const LANGUAGES = ["ru", "en"] as const;
export const THEMES = ["auto", "light", "dark"] as const;
export const SIZES = ["normal", "compact"] as const;
/** States that a visitor sees one after the other. */
export const STATES = ["idle", "scoring", "verified", "expired"] as const;

export interface Looks {
  language: (typeof LANGUAGES)[number];
  theme: (typeof THEMES)[number];
  size: (typeof SIZES)[number];
  state: (typeof STATES)[number];
}

export interface KeyLooks {
  languages: readonly Looks["language"][];
  theme: Looks["theme"];
  /** Undefined: the shield. */
  operator: { name: string; link: string | null } | undefined;
}

/** An edit may contain anything. The first language is used if a page asks for another. */
export function looksOf({ languages, theme, operator }: Value): KeyLooks {
  const said: readonly unknown[] = Array.isArray(languages) ? languages : [];
  const known = said.flatMap((one) => LANGUAGES.filter((each) => each === one));
  return {
    languages: known.length === 0 ? LANGUAGES : known,
    theme: THEMES.find((one) => one === theme) ?? "auto",
    operator: operatorOf(operator),
  };
}

function operatorOf(value: unknown): KeyLooks["operator"] {
  if (typeof value !== "object" || value === null) return undefined;
  const { name, link } = value as { name?: unknown; link?: unknown };
  if (typeof name !== "string" || name === "") return undefined;
  return { name, link: typeof link === "string" ? link : null };
}
