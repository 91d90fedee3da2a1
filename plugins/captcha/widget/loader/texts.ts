import type { WidgetError } from "../../service/protocol.js";
import type { Language } from "../shared/language.js";

const TEXTS = {
  frame: ["Проверка: я не робот", "Check: I am not a robot"],
  dialog: ["Проверка, что вы не робот", "Check that you are not a robot"],
  checking: ["Проверяем…", "Checking…"],
  close: ["Закрыть", "Close"],
  retry: ["Повторить", "Try again"],
  misconfigured: ["Проверка не настроена", "The check is not set up"],
  // Faults that the loader itself finds and that are not the site's mistake; what the frame finds comes with the frame's words.
  unsupported_browser: ["Этот браузер слишком старый.", "This browser is too old."],
  frame_blocked: [
    "Страница или расширение браузера блокирует проверку.",
    "The page or a browser extension blocks the check.",
  ],
  network_error: ["Нет связи с сервисом.", "The check could not be reached."],
} satisfies Record<string, readonly [ru: string, en: string]>;

export const loaderText = (name: keyof typeof TEXTS, language: Language): string =>
  TEXTS[name][language === "ru" ? 0 : 1] as string;

/** What a visitor reads where the frame would be. Mistakes of the site are named by their code, which its developer looks up. */
export const faultText = (code: WidgetError, language: Language): string =>
  code in TEXTS
    ? loaderText(code as keyof typeof TEXTS, language)
    : `${loaderText("misconfigured", language)} (${code}).`;
