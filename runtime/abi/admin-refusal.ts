import { printable } from "./text/unseen.js";

/** Characters of a refusal. */
const MAX_SAID = 2_000;

type Members = Readonly<Record<string, unknown>>;

/**
 * A refusal of an admin API on one line: "401: failed to check token: wrong apikey". Anything may have answered: an HTML page is its
 * title, and any other body its own text.
 */
export function refusalWords({ status, text }: { status: number; text: string }): string {
  const { error_msg, description, message } = jsonMembers(text);
  const said = [error_msg, description, message].filter(
    (part): part is string => typeof part === "string" && part !== "",
  );
  const [, title] = /<title>(?:\d{3} )?([^<]+)<\/title>/.exec(text) ?? [];
  return `${status}: ${printable(said.length > 0 ? said.join(": ") : (title ?? text.trim()), MAX_SAID)}`;
}

/** Members of a text that is a JSON object; none of any other. */
export function jsonMembers(text: string): Members {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Members of an object; none of anything else. */
export const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
