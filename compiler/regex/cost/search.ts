/** Remaining steps for one pattern: counted, not timed, so that every machine has the same result. */
export interface Budget {
  left: number;
}

/** Thrown if the steps are used up. */
export class OutOfStepsError extends Error {}

/** @throws OutOfStepsError */
export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new OutOfStepsError();
}

/** Result of a breadth-first search. Nodes are numbers. */
export interface Trail {
  has(node: number): boolean;
  /** Labels on the path from a start to the node. */
  labels(node: number): number[];
  root(node: number): number;
  nodes(): Iterable<number>;
}

/**
 * Breadth-first search; `expand` reports each successor with the label of its edge.
 * @param until ends the search early
 * @throws OutOfStepsError
 */
export function search(
  starts: Iterable<number>,
  expand: (node: number, found: (to: number, label: number) => void) => void,
  budget: Budget,
  until: (node: number) => boolean = () => false,
): Trail & { hit: number | undefined } {
  const places = new Map<number, number>();
  /* In the order of discovery: the node, the index of its predecessor, and the label of the edge. */
  const nodes: number[] = [];
  const parents: number[] = [];
  const labels: number[] = [];
  const add = (node: number, parent: number, label: number): void => {
    places.set(node, nodes.length);
    nodes.push(node);
    parents.push(parent);
    labels.push(label);
  };
  for (const start of starts) if (!places.has(start)) add(start, -1, 0);
  let hit: number | undefined;
  let at = 0;
  const found = (to: number, label: number): void => {
    if (--budget.left < 0) throw new OutOfStepsError();
    if (hit !== undefined || places.has(to)) return;
    add(to, at, label);
    if (until(to)) hit = to;
  };
  for (; at < nodes.length && hit === undefined; at++) expand(nodes[at] ?? 0, found);
  const back = (node: number, visit: (place: number) => void): number => {
    let place = places.get(node) ?? 0;
    for (; (parents[place] ?? -1) !== -1; place = parents[place] ?? 0) visit(place);
    return place;
  };
  return {
    hit,
    has: (node) => places.has(node),
    nodes: () => nodes,
    root: (node) => nodes[back(node, () => {})] ?? 0,
    labels: (node) => {
      const way: number[] = [];
      back(node, (place) => way.push(labels[place] ?? 0));
      return way.reverse();
    },
  };
}
