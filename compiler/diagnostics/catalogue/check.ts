import type { Catalogue } from "../diagnostic.js";

const OURS =
  "This is a fault of gwc, not of the configuration. Please report it with the plan that `gwc plan` prints.";

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
    summary: "generated module names something beyond the runtime's surface",
    message: "{file}: {message}",
    help: "please report this: generated code may use nothing but the runtime",
    explain: OURS,
  },
  GW5004: {
    severity: "error",
    summary: "generated module that does not load",
    message: "{file}: {message}",
    help: "make the resource smaller: fewer or shorter settings in one route",
    explain: `Every module is compiled as a worker will compile it before it is published, so that what is accepted loads. What
V8 refuses is most often too large or nested too deeply for it.`,
  },
};
