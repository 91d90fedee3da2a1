/**
 * Comparison for processes without threads. A module of its own, so that the compiler does not load it at the
 * start.
 */
export { draftEffect } from "../diff/compared.js";
