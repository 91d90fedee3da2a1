import { decodeQueryValue } from "../exchange/path.js";

/** Stands in the place of what may not be logged. */
export const MASK = "***";

/** The query with the values of these parameters masked; `names` in lower case, in whatever spelling they come. */
export function redactedQuery(args: string, names: ReadonlySet<string>): string {
  if (args === "" || names.size === 0) return args;
  let masked = false;
  const pairs = args.split("&").map((pair) => {
    const equals = pair.indexOf("=");
    if (equals < 0 || !names.has(decodeQueryValue(pair.slice(0, equals)).toLowerCase())) return pair;
    masked = true;
    return `${pair.slice(0, equals + 1)}${MASK}`;
  });
  return masked ? pairs.join("&") : args;
}

/** The same for a request target. */
export function redactedTarget(target: string, names: ReadonlySet<string>): string {
  const mark = target.indexOf("?");
  if (mark < 0 || names.size === 0) return target;
  return target.slice(0, mark + 1) + redactedQuery(target.slice(mark + 1), names);
}
