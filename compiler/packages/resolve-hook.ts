/** Hooks of Node's module loader, in its own thread: `gwc/plugin` is that of the gwc that runs, wherever a package stands. */
import type { InitializeHook, ResolveHook } from "node:module";

let own: Readonly<Record<string, string>> = {};

export const initialize: InitializeHook<Readonly<Record<string, string>>> = async (modules) => {
  own = modules;
};

export const resolve: ResolveHook = async (specifier, context, next) => {
  const url = own[specifier];
  return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
};
