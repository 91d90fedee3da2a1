import { ambient } from "../../abi/ambient.js";
import { type AddedLine, addedLine } from "../../abi/text/header-edits.js";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const two = (n: number) => String(n).padStart(2, "0");

/** Caches a text for each second: nearly every log format has one. */
function oncePerSecond<T>(make: (date: Date) => T): (now: number) => T {
  let second = Number.NaN;
  let made: T | undefined;
  return (now) => {
    const current = Math.floor(now / 1_000);
    if (current !== second) {
      second = current;
      made = make(new Date(now));
    }
    return made as T;
  };
}

function zone(date: Date, between: string): string {
  const offset = -date.getTimezoneOffset();
  const absolute = Math.abs(offset);
  return `${offset < 0 ? "-" : "+"}${two(Math.trunc(absolute / 60))}${between}${two(absolute % 60)}`;
}

const clock = (date: Date) => `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;

/** Formats epoch milliseconds like nginx's $time_iso8601: 2020-09-23T19:05:05-04:00. */
export const timeIso8601: (now: number) => string = oncePerSecond(
  (date) =>
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${clock(date)}${zone(date, ":")}`,
);

/** Formats epoch milliseconds like nginx's $time_local: 23/Sep/2020:19:05:05 -0400. */
export const timeLocal: (now: number) => string = oncePerSecond(
  (date) =>
    `${two(date.getDate())}/${MONTHS[date.getMonth()]}/${date.getFullYear()}:${clock(date)} ${zone(date, "")}`,
);

const dateOf = oncePerSecond((date) => addedLine("date", "Date", date.toUTCString()));

/** Date header of the current second (RFC 9110 section 5.6.7). */
export const dateLine = (): AddedLine => dateOf(ambient.now());
