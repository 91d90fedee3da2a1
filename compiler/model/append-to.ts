/** Adds an item to the list of a key, as `Map.groupBy` of ES2024 would; Node 20 lacks it. */
export function appendTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
