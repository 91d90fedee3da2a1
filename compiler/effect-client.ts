/** The comparison, for who has no threads: what is started with the compiler does not load it. */
export { effectOf } from "./diff/compared.js";
