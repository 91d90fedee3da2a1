import type { SourceText } from "../model/source.js";

/**
 * Leaves out lists: 20,000 routes take 13 s to parse, and a start needs the settings at once.
 * @returns undefined if the rest might change, or nothing would be gained
 */
export function stripLists(source: SourceText, lists: readonly string[]): SourceText | undefined {
  const text = source.format === "json" ? jsonWithout(source.text, lists) : yamlWithout(source.text, lists);
  return text === undefined ? undefined : { ...source, text };
}

function jsonWithout(text: string, lists: readonly string[]): string | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return JSON.stringify(Object.fromEntries(Object.entries(value).filter(([key]) => !lists.includes(key))));
  } catch {
    return undefined;
  }
}

/** A list begins after the line of its key and ends before the next line without indentation. */
function yamlWithout(text: string, lists: readonly string[]): string | undefined {
  // Braces, several documents, and tags; a quoted document may contain lines that look like keys.
  if (/^\s*[{["'?!|>]/.test(text) || /^(?:---|\.\.\.|["'?!%]|<<)/m.test(text)) return undefined;
  const kept: string[] = [];
  let inside = false;
  for (const line of text.split("\n")) {
    const [, key, value = ""] = /^([a-z_]+)[ \t]*:([\s\S]*)$/.exec(line) ?? [];
    if (key !== undefined) inside = lists.includes(key) && /^[ \t\r]*(?:#.*)?$/.test(value);
    else if (!inside || !/^(?:[ \t\r#-]|$)/.test(line)) inside = false;
    kept.push(inside ? "" : line);
  }
  const rest = kept.join("\n");
  // An alias may refer to a removed anchor.
  return /(?:^|[\s[{,:])[*&]/.test(rest) ? undefined : rest;
}
