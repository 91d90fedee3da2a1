import { messageOf } from "./error-message.js";

/** Rejection of calls in flight when the compiler's thread died, and of later ones if no thread starts again. */
export class CompilerDiedError extends Error {}

/** Reason of a failed start or a reload. */
export const compilerFault = (error: unknown): string => `the compiler failed: ${messageOf(error)}`;
