import { type Candidate, type Entry, insert, withdraw } from "./candidate.js";

/** A stretch of text that prefixes share. */
class Node<T> {
  label: string;
  parent: Node<T> | null;
  /** Patterns whose literal prefix ends here, in the order of trying. */
  head: Candidate<T> | null = null;
  /** First character codes of `children`. */
  codes: number[] = NONE;
  children: Node<T>[] = NONE as Node<T>[];

  constructor(label: string, parent: Node<T> | null) {
    this.label = label;
    this.parent = parent;
  }

  child(code: number): Node<T> | undefined {
    const at = this.codes.indexOf(code);
    return at < 0 ? undefined : this.children[at];
  }

  adopt(child: Node<T>): void {
    const code = child.label.charCodeAt(0);
    const at = this.codes.indexOf(code);
    child.parent = this;
    if (at >= 0) this.children[at] = child;
    else if (this.children.length === 0) [this.codes, this.children] = [[code], [child]];
    else {
      this.codes.push(code);
      this.children.push(child);
    }
  }

  abandon(child: Node<T>): void {
    const at = this.children.indexOf(child);
    this.codes.splice(at, 1);
    this.children.splice(at, 1);
  }
}

const NONE: never[] = [];

/** Radix tree over the literal prefixes of the patterns of one host. */
export class PrefixTree<T> {
  private readonly root = new Node<T>("", null);

  get empty(): boolean {
    return this.root.head === null && this.root.children.length === 0;
  }

  add(candidate: Candidate<T>): void {
    const node = this.nodeFor(candidate.pattern.prefix);
    node.head = insert(node.head, candidate);
  }

  remove(prefix: string, entry: Entry<T>): void {
    const node = this.find(prefix);
    if (node === null) return;
    node.head = withdraw(node.head, entry);
    this.prune(node);
  }

  /**
   * The first candidate that `accepts`, of the longest prefix of `path`, then of shorter ones.
   * The walk down needs no list of what it passed: it climbs back by the parents.
   */
  search<S>(
    path: string,
    subject: S,
    accepts: (candidate: Candidate<T>, subject: S) => boolean,
  ): Candidate<T> | null {
    for (let node: Node<T> | null = this.deepest(path); node !== null; node = node.parent)
      for (let candidate = node.head; candidate !== null; candidate = candidate.next)
        if (accepts(candidate, subject)) return candidate;
    return null;
  }

  private deepest(path: string): Node<T> {
    let node = this.root;
    let at = 0;
    for (;;) {
      const child: Node<T> | undefined = at < path.length ? node.child(path.charCodeAt(at)) : undefined;
      if (child === undefined) return node;
      const { label } = child;
      const end = at + label.length;
      if (end > path.length) return node;
      for (let i = 1; i < label.length; i++) if (label.charCodeAt(i) !== path.charCodeAt(at + i)) return node;
      at = end;
      node = child;
    }
  }

  private find(prefix: string): Node<T> | null {
    const node = this.deepest(prefix);
    let length = 0;
    for (let above: Node<T> | null = node; above !== null; above = above.parent) length += above.label.length;
    return length === prefix.length ? node : null;
  }

  /** The node of a prefix, made by splitting an edge where needed. */
  private nodeFor(prefix: string): Node<T> {
    let node = this.root;
    let at = 0;
    while (at < prefix.length) {
      const child = node.child(prefix.charCodeAt(at));
      if (child === undefined) {
        const leaf = new Node<T>(prefix.slice(at), node);
        node.adopt(leaf);
        return leaf;
      }
      const shared = sharedLength(child.label, prefix, at);
      node = shared === child.label.length ? child : split(child, shared);
      at += shared;
    }
    return node;
  }

  /** Drops a node that serves nothing and joins a lone child to what is left. */
  private prune(node: Node<T>): void {
    const { parent } = node;
    if (parent === null || node.head !== null) return;
    if (node.children.length === 0) {
      parent.abandon(node);
      this.prune(parent);
      return;
    }
    const [only, second] = node.children;
    if (only === undefined || second !== undefined) return;
    only.label = node.label + only.label;
    parent.adopt(only);
  }
}

function sharedLength(label: string, prefix: string, at: number): number {
  let length = 0;
  while (length < label.length && label.charCodeAt(length) === prefix.charCodeAt(at + length)) length++;
  return length;
}

/** Puts a node at `length` into the edge above `child`. */
function split<T>(child: Node<T>, length: number): Node<T> {
  const middle = new Node<T>(child.label.slice(0, length), child.parent);
  child.parent?.adopt(middle);
  child.label = child.label.slice(length);
  middle.adopt(child);
  return middle;
}
