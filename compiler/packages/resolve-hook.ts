/** Module loader hooks, in Node's thread for them: every package gets the modules of the running gwc. */
import type { InitializeHook, ResolveHook } from "node:module";

let own: Readonly<Record<string, string>> = {};

export const initialize: InitializeHook<Readonly<Record<string, string>>> = async (modules) => {
  own = modules;
};

export const resolve: ResolveHook = async (specifier, context, next) => {
  const url = own[specifier];
  return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
};
