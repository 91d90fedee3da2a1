/** Rejection of the calls that were under way when the compiler's thread died, and of later ones if it cannot be started again. */
export class CompilerDied extends Error {}
