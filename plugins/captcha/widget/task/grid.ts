export const ROWS = 3;
export const COLUMNS = 4;

/** Index of the cell that an arrow key, Home or End leads to; at an edge the same cell; undefined for other keys. */
export function neighbour(index: number, key: string): number | undefined {
  const [row, column] = [Math.floor(index / COLUMNS), index % COLUMNS];
  const at = (r: number, c: number): number =>
    Math.min(ROWS - 1, Math.max(0, r)) * COLUMNS + Math.min(COLUMNS - 1, Math.max(0, c));
  switch (key) {
    case "ArrowLeft":
      return at(row, column - 1);
    case "ArrowRight":
      return at(row, column + 1);
    case "ArrowUp":
      return at(row - 1, column);
    case "ArrowDown":
      return at(row + 1, column);
    case "Home":
      return at(row, 0);
    case "End":
      return at(row, COLUMNS - 1);
    default:
      return undefined;
  }
}
