/** Epoch ms; undefined if the API key does not expire. */
export function millisecondsOf(expires: unknown): number | undefined {
  if (typeof expires === "number") return expires * 1_000;
  const parsed = typeof expires === "string" ? Date.parse(expires) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

const two = (part: number) => String(part).padStart(2, "0");

/** Text for the browser's field for date and time: in the user's time zone, which it does not contain. */
export function pickedOf(expires: unknown): string {
  const at = millisecondsOf(expires);
  if (at === undefined) return "";
  const moment = new Date(at);
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** RFC 3339 in UTC; undefined if the pick is incomplete. */
export function momentOf(picked: string): string | undefined {
  const at = new Date(picked);
  return picked === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace(".000Z", "Z");
}
