import { messageOf } from "./error-message.js";

/** Rejection of the calls that were under way when the compiler's thread died, and of later ones if it cannot be started again. */
export class CompilerDiedError extends Error {}

/** Reason for a start or a reload that the compiler could not do. */
export const compilerFault = (error: unknown): string => `the compiler failed: ${messageOf(error)}`;
