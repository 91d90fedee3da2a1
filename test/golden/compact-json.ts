const WIDTH = 110;

/** Returns readable JSON with sorted keys and values on one line if they fit. */
export function compactJson(value: unknown, indent = ""): string {
  const line = inline(value);
  if (indent.length + line.length <= WIDTH || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + compactJson(item, inner)).join(",\n")}\n${indent}]`;
  }
  const entries = sorted(value).map(
    ([key, part]) => `${inner}${JSON.stringify(key)}: ${compactJson(part, inner)}`,
  );
  return `{\n${entries.join(",\n")}\n${indent}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = sorted(value).map(([key, part]) => `${JSON.stringify(key)}: ${inline(part)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

function sorted(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
