import { statfs, statfsSync } from "node:fs";
import { StorageError } from "../contract.js";

/** Bytes that must be free on the disk. In a second a busy process writes less than a tenth of it. */
const RESERVE = 16_777_216;
const LOOK_MS = 1_000;

/**
 * Refuses writes before the disk is full: lmdb-js damages its own memory and ends the process when a write finds no room (seen with
 * lmdb 3.5 on a full tmpfs), which would happen again after each start.
 */
export class DiskSpace {
  readonly #directory: string;
  readonly #looks: NodeJS.Timeout;
  #free: number;

  /** @param directory exists */
  constructor(directory: string) {
    this.#directory = directory;
    const { bavail, bsize } = statfsSync(directory);
    this.#free = bavail * bsize;
    this.#looks = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  get isFree(): boolean {
    return this.#free >= RESERVE;
  }

  /** @throws StorageError when there is less than the reserve */
  demand(): void {
    if (!this.isFree) throw new StorageError("the disk of the captcha's store is full");
  }

  #look(): void {
    statfs(this.#directory, (error, stats) => {
      if (error === null) this.#free = stats.bavail * stats.bsize;
    });
  }

  close(): void {
    clearInterval(this.#looks);
  }
}
