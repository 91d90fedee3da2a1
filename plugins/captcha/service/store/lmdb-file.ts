import { join } from "node:path";

export const claimsFile = (directory: string): string => join(directory, "claims.lmdb");
/** Separate from the claims' file: it is not flushed, and damage to it costs nobody a token. */
export const statesFile = (directory: string): string => join(directory, "sessions.lmdb");

/** Exit code of the probe if LMDB says that the file is no store. */
export const NO_STORE = 3;
