/** Candidates that are looked at before giving up: a wrong name must not cost more than a compile. */
const LIMIT = 2_000;

/** The candidate that a mistyped name most likely meant, or undefined when none is near. */
export function nearest(wrong: string, candidates: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  let seen = 0;
  for (const name of candidates) {
    if (++seen > LIMIT) break;
    const distance = distanceIfNear(wrong, name);
    if (distance !== undefined && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name, distance };
  }
  return best?.name;
}

/** Slips that lie between a mistyped name and another; undefined for more than a third of its characters. */
export function distanceIfNear(wrong: string, name: string): number | undefined {
  const worst = Math.max(1, Math.floor(wrong.length / 3));
  if (Math.abs(name.length - wrong.length) > worst) return undefined;
  const distance = editDistance(plain(wrong), plain(name));
  return distance <= worst ? distance : undefined;
}

/** Case and the choice between "-" and "_" are the commonest slips and cost nothing. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
