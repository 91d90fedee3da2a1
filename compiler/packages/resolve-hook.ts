/**
 * Hooks of Node's module loader, in its own thread: they resolve modules of gwc to the running gwc for every
 * package.
 */
import type { InitializeHook, ResolveHook } from "node:module";

let own: Readonly<Record<string, string>> = {};

export const initialize: InitializeHook<Readonly<Record<string, string>>> = async (modules) => {
  own = modules;
};

export const resolve: ResolveHook = async (specifier, context, next) => {
  const url = own[specifier];
  return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
};
