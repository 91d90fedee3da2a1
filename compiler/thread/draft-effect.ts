/** Comparison for processes without threads; apart, so that the compiler does not load it at the start. */
export { draftEffect } from "../diff/compared.js";
