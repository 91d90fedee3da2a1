/** The two languages of the interface (C8, H2). */
export type Language = "ru" | "en";

/**
 * Reads `data-language` (H2): blanks and case do not matter, a region is cut off ("en-US").
 * @returns undefined for a language that there is not; Russian when nothing was said (C9)
 */
export function readLanguage(text: string | null): Language | undefined {
  const name = (text ?? "").trim().toLowerCase();
  if (name === "") return "ru";
  const language = /^([a-z]{2})(?:[-_][a-z0-9]{2,8})*$/.exec(name)?.[1];
  return language === "ru" || language === "en" ? language : undefined;
}
