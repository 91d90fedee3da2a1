import { typescript } from "../5-emit/typescript.js";
import { Compilation } from "../compilation/compilation.js";

const now = () => Math.floor(Date.now() / 1000);

/** Compilation for a gateway that runs its modules: keys expire by the clock, and unset secrets are errors. */
export const liveCompilation = (secretKey?: string): Compilation =>
  new Compilation({ target: typescript, secretKey, now, needsSecrets: true });
