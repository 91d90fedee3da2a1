import { createHmac } from "node:crypto";

export interface ProgramOwner {
  session: string;
  site_key: string;
  hostname: string;
  /** Number of the session's program, from 1. */
  run: number;
}

/**
 * Seed that nobody without the secret can predict; the service only stores the number of the run. The input
 * is a JSON list, so that no two owners have the same text. Secret and result have 32 bytes.
 */
export const programSeed = (secret: Buffer, { session, site_key, hostname, run }: ProgramOwner): Buffer =>
  createHmac("sha256", secret)
    .update(JSON.stringify(["program", session, site_key, hostname, run]))
    .digest();
