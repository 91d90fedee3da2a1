import type { ValueType } from "./members.js";

export interface Binding {
  readonly type: ValueType;
  /** Declared by `let`. */
  readonly assignable: boolean;
}

/** A declaration of one of these would make the outer one look like the module's own. */
const OUTER: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...["require", "module", "exports"],
]);

/** Names that hold at a place of a module, from their declaration on. */
export class Scope {
  readonly #bindings: Map<string, Binding> = new Map();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  /** False for a name that stands for something outside. */
  declare(name: string, binding: Binding): boolean {
    if (OUTER.has(name)) return false;
    this.#bindings.set(name, binding);
    return true;
  }

  find(name: string): Binding | undefined {
    return this.#bindings.get(name) ?? this.#outer?.find(name);
  }
}
