import { Compilation } from "../compilation.js";
import { typescript } from "../emit/typescript.js";

const now = () => Math.floor(Date.now() / 1000);

/** Compilation of a gateway that runs its modules: keys expire by the clock, and unset secrets are errors. */
export const liveCompilation = (secretKey?: string): Compilation =>
  new Compilation({ target: typescript, secretKey, now, needsSecrets: true });
