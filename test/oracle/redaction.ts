import type { LoggerPlan } from "../../compiler/log/plan.js";
import type { Fields } from "./message.js";
import { decoded } from "./query.js";

const MASK = "***";

const lists = (plan: LoggerPlan) => plan.settings["redact"] as { headers: string[]; query: string[] };

/** Header lines with the values of those that are to be hidden masked. */
export function redactedFields(fields: Fields, plan: LoggerPlan): Fields {
  const hidden = lists(plan).headers;
  return fields.map(([name, value]) => [name, hidden.includes(name.toLowerCase()) ? MASK : value]);
}

/** A query with the values of those parameters masked. */
export function redactedQuery(query: string, path: string, plan: LoggerPlan): string {
  return query
    .split("&")
    .map((pair) => {
      const at = pair.indexOf("=");
      const name = decoded(pair.slice(0, Math.max(at, 0)), true).toLowerCase();
      return at >= 0 && isHidden(name, path, plan) ? `${pair.slice(0, at)}=${MASK}` : pair;
    })
    .join("&");
}

/** A name alone is hidden everywhere, "/verify?ip" only on paths that end so. `name` in lower case. */
export function isHidden(name: string, path: string, plan: LoggerPlan): boolean {
  return lists(plan).query.some((entry) => {
    const [end = "", bound] = entry.split("?");
    return entry.startsWith("/") ? path.endsWith(end) && bound === name : entry === name;
  });
}
