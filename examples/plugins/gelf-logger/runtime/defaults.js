/** Settings that a module omits and the runtime adds again; they equal the defaults of `schema.json`. */
export const DEFAULTS = {
  destination: { port: 12201, timeoutMs: 1000 },
  batch: { name: "gelf logger" },
};
