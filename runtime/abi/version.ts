/**
 * Version that is equal in a generated module, a manifest and a runtime; raised when a call of modules
 * changes its meaning.
 */
export const ABI = 3;
/** Product version, in generated headers and in the Server response header. */
export const VERSION = "0.2.0";
