/** Maximum candidates, so that a wrong name never costs more than a compile. */
const LIMIT = 2_000;

export function nearest(wrong: string, candidates: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  let seen = 0;
  for (const name of candidates) {
    if (++seen > LIMIT) break;
    // Only a nearer candidate counts, so most of the table need not be computed.
    const distance = distanceIfNear(wrong, name, (best?.distance ?? Number.POSITIVE_INFINITY) - 1);
    if (distance !== undefined) best = { name, distance };
    if (distance === 0) break;
  }
  return best?.name;
}

/** Edit distance; undefined beyond `most` or a third of the wrong name's length. */
export function distanceIfNear(
  wrong: string,
  name: string,
  most = Number.POSITIVE_INFINITY,
): number | undefined {
  const worst = Math.min(most, Math.max(1, Math.floor(wrong.length / 3)));
  if (Math.abs(name.length - wrong.length) > worst) return undefined;
  const distance = editDistance(plain(wrong), plain(name), worst);
  return distance <= worst ? distance : undefined;
}

/** Case, and "-" instead of "_", are the most frequent mistakes and count as no edit. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** Optimal string alignment: insertions, deletions, replacements and swaps; above `worst` any larger number. */
function editDistance(a: string, b: string, worst: number): number {
  if (worst === 0) return a === b ? 0 : 1;
  let before: number[] = [];
  let lowestBefore = 0;
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let lowest = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const slips = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
      current[column] = slips;
      lowest = Math.min(lowest, slips);
    }
    // A row depends only on the two rows before it.
    if (lowest > worst && lowestBefore > worst) return worst + 1;
    lowestBefore = lowest;
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
