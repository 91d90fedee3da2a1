/** Module that the compiler's comparison thread loads, by its URL, to run modules. */

export { createSimulator } from "./diff-simulator.js";
export { withoutNetwork } from "./no-network.js";
export { registerPackages } from "./package-runtimes.js";
