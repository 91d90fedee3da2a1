/** A longer comparison is slow and unreadable: then all lines of one text precede all lines of the other. */
const MAX_LINES = 1_000;
/** Equal lines that are shown around a change. */
const AROUND = 3;

/** Prefixes lines: "- " expected, "+ " actual, "  " in both. Equal lines far from a change are omitted. */
export function lineDiff(expected: readonly string[], actual: readonly string[]): string[] {
  const all =
    expected.length > MAX_LINES || actual.length > MAX_LINES
      ? [...expected.map((line) => `- ${line}`), ...actual.map((line) => `+ ${line}`)]
      : aligned(expected, actual);
  // Empty text after the last line break of both.
  if (all.at(-1) === "  ") all.pop();
  return nearChanges(all);
}

/** Aligns the lines by the longest common subsequence. */
function aligned(a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i++]}`);
      j++;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) lines.push(`- ${a[i++]}`);
    else lines.push(`+ ${b[j++]}`);
  }
  return lines;
}

function nearChanges(lines: readonly string[]): string[] {
  const kept = new Set<number>();
  for (const [index, line] of lines.entries())
    if (!line.startsWith("  "))
      for (let near = index - AROUND; near <= index + AROUND; near++) kept.add(near);
  let left = 0;
  const shown: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (!kept.has(index)) {
      left++;
      continue;
    }
    if (left > 0) shown.push(`  … ${left} equal ${left === 1 ? "line" : "lines"}`);
    left = 0;
    shown.push(line);
  }
  return left > 0 ? [...shown, `  … ${left} equal ${left === 1 ? "line" : "lines"}`] : shown;
}
