import i18next from "i18next";

/** Maximum width of forms and tiles in px; tables may be wider. */
export const WIDEST = 1_440;

/** Request rate in the unit that yields a number above 1: "12/s", "41/h". */
export function rate(count: number, seconds: number, language: string): string {
  const [length, unit] =
    count >= seconds ? [1, "second"] : count * 60 >= seconds ? [60, "minute"] : [3_600, "hour"];
  const value = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 }).format(
    (count * length) / seconds,
  );
  return i18next.t(`overview.per_${unit as "second"}`, { value });
}

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
