export const LANGUAGES = [
  { code: "en", name: "English" },
  { code: "ru", name: "Русский" },
] as const;

export type LanguageCode = (typeof LANGUAGES)[number]["code"];
