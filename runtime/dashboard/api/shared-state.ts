import { useSyncExternalStore } from "react";

/** State outside of components; those that use it are rendered again when it changes. */
export class SharedState<State> {
  #state: State;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  get current(): State {
    return this.#state;
  }

  set current(state: State) {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export const useShared = <State, Part>(shared: SharedState<State>, select: (state: State) => Part): Part =>
  useSyncExternalStore(shared.subscribe, () => select(shared.current));
