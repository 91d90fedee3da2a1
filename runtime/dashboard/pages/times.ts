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
