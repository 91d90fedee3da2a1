import type { ApiError, WidgetError } from "../../service/protocol.js";
import type { Language } from "./language.js";
import type { ExecutionFault, WidgetFault } from "./messages.js";

/** Short texts, because the box has two lines. */
const TEXTS: Partial<Record<WidgetError, readonly [ru: string, en: string]>> = {
  invalid_sitekey: ["Проверка не настроена: ключ сайта не найден.", "Not set up: the site key is unknown."],
  hostname_not_allowed: ["Проверка не настроена для этого сайта.", "Not set up for this site."],
  unsupported_browser: ["Этот браузер слишком старый.", "This browser is too old."],
  network_error: ["Нет связи. Проверьте интернет.", "No connection. Check your network."],
  timeout: ["Сервис слишком долго не отвечает.", "The service is taking too long."],
  rate_limited: ["Слишком много попыток. Подождите немного.", "Too many attempts. Wait a moment."],
  service_unavailable: ["Проверка пока недоступна.", "The check is not available now."],
};
const UNKNOWN = ["Что-то пошло не так.", "Something went wrong."] as const;

const RETRYABLE = new Set<WidgetError>([
  "network_error",
  "timeout",
  "rate_limited",
  "service_unavailable",
  "internal_error",
]);

export function widgetFault(code: WidgetError, language: Language): WidgetFault {
  return {
    code,
    message: (TEXTS[code] ?? UNKNOWN)[language === "ru" ? 0 : 1],
    retryable: RETRYABLE.has(code),
  };
}

export function closedFault(code: "cancelled" | "session_ended", language: Language): ExecutionFault {
  const isCancelled = code === "cancelled";
  const message =
    language === "ru"
      ? `Проверка ${isCancelled ? "не закончена" : "прервалась"}. Попробуйте ещё раз.`
      : `The check ${isCancelled ? "was not finished" : "was cut short"}. Please try again.`;
  return { code, message, retryable: true };
}

export class CallError extends Error {
  readonly code: ApiError["error"];
  /** Time in ms; 0 if the response has none. */
  readonly retryAfter: number;

  constructor(code: ApiError["error"], retryAfter = 0) {
    super(code);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/**
 * Repeats a call that an overloaded service rejects with a delay: a waiting visitor need not press a button.
 * @param most repetitions; then the visitor decides
 * @throws CallError
 */
export async function repeated<Answer>(
  call: () => Promise<Answer>,
  most: number,
  wait: (ms: number) => Promise<void>,
): Promise<Answer> {
  for (let asked = 1; ; asked++) {
    try {
      return await call();
    } catch (error) {
      const isBehind = error instanceof CallError && error.code === "service_unavailable";
      if (!isBehind || error.retryAfter === 0 || asked > most) throw error;
      await wait(error.retryAfter);
    }
  }
}

/** API codes that are not for pages are bugs of ours. */
export function faultOf(error: unknown, language: Language): WidgetFault {
  const code = error instanceof CallError ? error.code : "internal_error";
  return widgetFault(
    code === "session_expired" ? "timeout" : code === "invalid_request" ? "internal_error" : code,
    language,
  );
}
