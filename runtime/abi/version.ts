/** Equal in a generated module, a manifest and a runtime; a call of modules with another meaning raises it. */
export const ABI = 3;
/** Product version, in generated headers and in the Server response header. */
export const VERSION = "0.2.0";
