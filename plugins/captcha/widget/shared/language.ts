/** Languages of the interface (C8, H2). */
export type Language = "ru" | "en";

/**
 * `data-language` (H2): blanks and case do not matter, a region is cut off ("en-US").
 * @returns undefined for an unknown language; Russian if there is none (C9)
 */
export function readLanguage(text: string | null | undefined): Language | undefined {
  const name = (text ?? "").trim().toLowerCase();
  if (name === "") return "ru";
  return /^(ru|en)(?:[-_]\w+)*$/.exec(name)?.[1] as Language | undefined;
}
