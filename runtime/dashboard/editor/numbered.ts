/** Adds the index as key to items without a name; each response replaces all items at once. */
export const numbered = <Item>(items: readonly Item[]): { key: string; item: Item }[] =>
  items.map((item, at) => ({ key: String(at), item }));
