import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { PLUGIN_PAGES } from "../../../plugins/dashboard";
import { pluginLabel } from "../app/page-list";
import type { PluginTexts } from "../plugin-page";
import { en } from "./en";
import { LANGUAGES, type LanguageCode } from "./languages";
import { ru } from "./ru";

const KEPT = "gwc.language";
const TEXTS = "translation";

/** Texts on plugins that are shown before their pages are loaded. */
const ofPlugins = (code: LanguageCode) =>
  Object.assign(
    {},
    ...PLUGIN_PAGES.map((page) => ({ [pluginLabel(page)]: page.label[code], ...page.attention?.[code] })),
  ) as Record<string, string>;

/** Prefers the user's choice, then the browser's, then English. The browser stores only this choice and the theme. */
export function startLanguage(): void {
  const wanted = [localStorage.getItem(KEPT) ?? "", ...navigator.languages].map((tag) => tag.slice(0, 2));
  const language = wanted.find((code) => LANGUAGES.some((one) => one.code === code)) ?? "en";
  void i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: "en",
    resources: {
      en: { [TEXTS]: { ...en, ...ofPlugins("en") } },
      ru: { [TEXTS]: { ...ru, ...ofPlugins("ru") } },
    },
    // Keys are flat, and texts of the gateway may contain both separators.
    keySeparator: false,
    nsSeparator: false,
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
}

export function setLanguage(code: string): void {
  localStorage.setItem(KEPT, code);
  document.documentElement.lang = code;
  void i18next.changeLanguage(code);
}

export function addTexts(texts: PluginTexts): void {
  for (const { code } of LANGUAGES) i18next.addResources(code, TEXTS, texts[code]);
}
