import i18next from "i18next";

/** Request rate in the unit that yields a number above 1: "12/s", "41/h". */
export function rate(count: number, seconds: number, language: string): string {
  const [length, unit] =
    count >= seconds ? [1, "second"] : count * 60 >= seconds ? [60, "minute"] : [3_600, "hour"];
  const value = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 }).format(
    (count * length) / seconds,
  );
  return i18next.t(`overview.per_${unit as "second"}`, { value });
}

/** Count of the last second; "–" if it is unknown. */
export const perSecond = (count: number | undefined, language: string): string =>
  count === undefined
    ? "–"
    : i18next.t("overview.per_second", { value: new Intl.NumberFormat(language).format(count) });

/** Percentage of a whole; 0 if the whole is 0. */
export const share = (part: number, whole: number, language: string): string =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 2 }).format(
    whole === 0 ? 0 : part / whole,
  );

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

/** Bytes with the unit that yields at most three digits before the point; a kilobyte has 1,000. */
export function formatBytes(bytes: number, language: string): string {
  const at = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: UNITS[at] ?? "byte",
    unitDisplay: "short",
    maximumFractionDigits: 1,
  }).format(bytes / 1_000 ** at);
}

const STEPS = [
  ["year", 31_557_600],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

/** The unit that yields a number of at least 2, so that "90 minutes" is not "1 hour". */
function inUnit(seconds: number): [amount: number, unit: (typeof STEPS)[number][0]] {
  const [unit, length] = STEPS.find(([, step]) => Math.abs(seconds) >= 2 * step) ?? ["second", 1];
  return [Math.round(seconds / length), unit];
}

/** "5 min". */
export function duration(seconds: number, language: string): string {
  const [amount, unit] = inUnit(seconds);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" }).format(amount);
}

/** "3 minutes ago", "in 12 days". @param seconds from now; negative in the past */
export function fromNow(seconds: number, language: string): string {
  return new Intl.RelativeTimeFormat(language, { numeric: "always" }).format(...inUnit(seconds));
}

/** 24 hours in every language, as in log lines that users compare. */
const CLOCK = { timeStyle: "medium", hourCycle: "h23" } as const;

export const exactly = (time: string | number, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", ...CLOCK }).format(new Date(time));

/** "09:05:00", without the date. */
export const timeOfDay = (time: string | number, language: string): string =>
  new Intl.DateTimeFormat(language, CLOCK).format(new Date(time));

/** "09:05", for axes. */
export const hourAndMinute = (time: number, language: string): string =>
  new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(
    new Date(time),
  );

/** "connection refused (ECONNREFUSED)", "status 503". Without a translation it is the gateway's text. */
export function errorWords(error: string): string {
  const [, status] = /^status_(\d+)$/.exec(error) ?? [];
  if (status !== undefined) return i18next.t("error.status", { status });
  const code = /^e[a-z]+$/.test(error) ? error.toUpperCase() : error;
  const key = `error.${code}`;
  return i18next.exists(key) ? i18next.t(key as "error.ECONNREFUSED") : code;
}
