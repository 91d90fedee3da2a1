import { isObject } from "./json-object.js";
import { printable } from "./text/unseen.js";

const MAX_SAID = 2_000;

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns "401: failed to check token: wrong apikey" for any server's response: an HTML page becomes its
 * title, and any other body its own text.
 */
export function formatRejection({ status, text }: { status: number; text: string }): string {
  const { error_msg, description, message } = jsonMembers(text);
  const said = [error_msg, description, message].filter(
    (part): part is string => typeof part === "string" && part !== "",
  );
  const [, title] = /<title>(?:\d{3} )?([^<]+)<\/title>/.exec(text) ?? [];
  return `${status}: ${printable(said.length > 0 ? said.join(": ") : (title ?? text.trim()), MAX_SAID)}`;
}

/** @returns the members of a JSON object; none for other texts */
export function jsonMembers(text: string): Members {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Returns the members of an object; none for other values. */
export const membersOf = (value: unknown): Members => (isObject(value) ? value : {});
