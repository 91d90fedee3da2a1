import { type Follow, firstOf, UNKNOWN } from "./analyse/follow.js";
import type { Node } from "./ast.js";

/** Prints each item with what can come after it. @param print `last`: no item comes after it */
export function printSequence(
  items: readonly Node[],
  follow: Follow,
  print: (item: Node, follow: Follow, last: boolean) => string,
): string {
  const follows: Follow[] = [];
  let next = follow;
  for (const item of [...items].reverse()) {
    follows.unshift(next);
    next = firstOf(item, next);
  }
  return items
    .map((item, i) => {
      const text = print(item, follows[i] ?? UNKNOWN, i === items.length - 1);
      return item.kind === "choice" ? `(?:${text})` : text;
    })
    .join("");
}
