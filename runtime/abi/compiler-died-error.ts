import { messageOf } from "./error-message.js";

/**
 * Rejection of the calls in flight when the compiler's thread died, and of later ones if it cannot be started
 * again.
 */
export class CompilerDiedError extends Error {}

/** Reason of a start or a reload that the compiler could not do. */
export const compilerFault = (error: unknown): string => `the compiler failed: ${messageOf(error)}`;
