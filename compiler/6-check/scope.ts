import type { ValueType } from "./members.js";

export interface Binding {
  readonly type: ValueType;
  /** True for a declaration by `let`. */
  readonly assignable: boolean;
}

/** Global names. A declaration of one of them would make the global look like the module's own. */
const OUTER: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ...["require", "module", "exports"],
]);

/** Names that are visible at a position of a module, from their declaration on. */
export class Scope {
  readonly #bindings: Map<string, Binding> = new Map();
  readonly #outer: Scope | undefined;

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  /** Declares a name; false if it is a global name. */
  declare(name: string, binding: Binding): boolean {
    if (OUTER.has(name)) return false;
    this.#bindings.set(name, binding);
    return true;
  }

  find(name: string): Binding | undefined {
    return this.#bindings.get(name) ?? this.#outer?.find(name);
  }
}
