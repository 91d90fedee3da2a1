/** Items that have no name of their own, each with its place as key: they come anew with each answer, all at once. */
export const numbered = <Item>(items: readonly Item[]): { key: string; item: Item }[] =>
  items.map((item, at) => ({ key: String(at), item }));
