/**
 * Version that a generated module, a manifest and a runtime must agree on; raised when a call of modules
 * changes its meaning.
 */
export const ABI = 3;
/** Product version, in generated headers and in the Server response header. */
export const VERSION = "0.2.0";
