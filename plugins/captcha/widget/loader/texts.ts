import type { Language } from "../shared/language.js";
import type { ExecutionFault } from "../shared/messages.js";

const TEXTS = {
  // Titles of the frame with the box, and of the dialog and its frame.
  title: ["Проверка: я не робот", "Check: I am not a robot"],
  checking: ["Проверяем…", "Checking…"],
  close: ["Закрыть", "Close"],
  retry: ["Повторить", "Try again"],
  misconfigured: ["Проверка не настроена", "The check is not set up"],
  // Faults that the loader itself finds and that are not the site's mistake; the frame has texts for its own.
  unsupported_browser: ["Браузер слишком старый.", "The browser is too old."],
  // Blocked by a site around the page, by the page's own policy, or by an extension: a visitor can only solve
  // the first.
  frame_blocked: [
    "Здесь проверка заблокирована. Откройте страницу в отдельном окне.",
    "The check is blocked here. Open this page in its own window.",
  ],
  cancelled: ["Проверка прервана.", "The check was stopped."],
  network_error: ["Нет связи с сервисом.", "No connection."],
} satisfies Record<string, readonly [ru: string, en: string]>;

export const loaderText = (name: keyof typeof TEXTS, language: Language): string =>
  TEXTS[name][language === "ru" ? 0 : 1] as string;

/** Text in place of the frame. Mistakes of the site are shown by their code, which its developer looks up. */
export const faultText = (code: ExecutionFault["code"], language: Language): string =>
  code in TEXTS
    ? loaderText(code as keyof typeof TEXTS, language)
    : `${loaderText("misconfigured", language)} (${code}).`;
