const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const two = (n: number) => String(n).padStart(2, "0");

/** A text that changes once a second is made once a second: nearly every log format has one. */
function oncePerSecond(make: (date: Date) => string): (now: number) => string {
  let second = Number.NaN;
  let text = "";
  return (now) => {
    const current = Math.floor(now / 1_000);
    if (current !== second) {
      second = current;
      text = make(new Date(now));
    }
    return text;
  };
}

/** Offset of the local time zone: sign, hours, minutes. */
function zone(date: Date, between: string): string {
  const offset = -date.getTimezoneOffset();
  const absolute = Math.abs(offset);
  return `${offset < 0 ? "-" : "+"}${two(Math.trunc(absolute / 60))}${between}${two(absolute % 60)}`;
}

const clock = (date: Date) => `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;

/** Epoch milliseconds as nginx writes $time_iso8601: 2020-09-23T19:05:05-04:00. */
export const timeIso8601: (now: number) => string = oncePerSecond(
  (date) =>
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${clock(date)}${zone(date, ":")}`,
);

/** Epoch milliseconds as nginx writes $time_local: 23/Sep/2020:19:05:05 -0400. */
export const timeLocal: (now: number) => string = oncePerSecond(
  (date) =>
    `${two(date.getDate())}/${MONTHS[date.getMonth()]}/${date.getFullYear()}:${clock(date)} ${zone(date, "")}`,
);
