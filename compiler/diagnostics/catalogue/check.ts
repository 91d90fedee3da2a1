import type { Catalogue } from "../../model/diagnostic.js";

const OURS =
  "This is a bug in gwc, not a mistake in the configuration. Please report it with the output of `gwc plan`.";

export const check: Catalogue = {
  GW5001: {
    severity: "error",
    summary: "generated module fails its type check",
    message: "{file}:{line}: {message}",
    help: "please report this: generated code must always be correct",
    explain: OURS,
  },
  GW5002: {
    severity: "error",
    summary: "generated module is not in its final layout",
    message: "{file}:{line}: {message}",
    help: "please report this: formatting must not change generated code",
    explain: OURS,
  },
  GW5003: {
    severity: "error",
    summary: "generated module uses a name outside of the runtime interface",
    message: "{file}: {message}",
    help: "please report this: generated code may use only the runtime",
    explain: OURS,
  },
  GW5004: {
    severity: "error",
    summary: "generated module that does not load",
    message: "{file}: {message}",
    help: "make the resource smaller: fewer or shorter settings in one route",
    explain: `Before a module is published it is compiled in the same way as in a worker, so that every accepted module loads. If V8
rejects a module, the module is usually too large or nested too deeply.`,
  },
};
