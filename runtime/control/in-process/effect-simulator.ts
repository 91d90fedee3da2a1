/** What the compiler's thread for comparisons runs modules by; it is given this module's address. */

export { diffSimulator } from "./diff-simulator.js";
export { withoutNetwork } from "./no-network.js";
export { registerPackages } from "./package-runtimes.js";
