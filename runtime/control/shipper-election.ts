import { messageOf } from "../abi/error-message.js";
import { nextEpoch } from "../logging/spool/cursor.js";
import { log } from "../process/log.js";
import type { ToWorker } from "../process/messages.js";

/** A worker as the election sees it. */
export interface Candidate {
  readonly index: number;
  readonly pid: number;
  /** Live generation, 0 before the first: then it knows no secrets yet. */
  readonly active: number;
  readonly link: { send(message: ToWorker): void };
}

/** After an epoch that could not be given out. */
const RETRY_MS = 1_000;

/**
 * Names the worker that ships the spools: the first one that serves, for as long as it is there. The epoch on disk keeps one
 * that was given up, but lives, from doing harm.
 */
export class ShipperElection {
  readonly #directory: string;
  #elected: Candidate["link"] | undefined = undefined;
  #candidates: readonly Candidate[] = [];
  #retry: NodeJS.Timeout | undefined = undefined;

  /** @param directory of the spools */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Workers have come, gone or begun to serve. */
  look(candidates: readonly Candidate[]): void {
    this.#candidates = candidates;
    if (candidates.some(({ link }) => link === this.#elected)) return;
    this.#elect();
  }

  /** The elected one was superseded by a process that has ended. */
  deserted(): void {
    this.#elect();
  }

  close(): void {
    this.#candidates = [];
    clearTimeout(this.#retry);
  }

  #elect(): void {
    clearTimeout(this.#retry);
    this.#elected = undefined;
    const [first] = this.#candidates.filter(({ active }) => active > 0).sort((a, b) => a.index - b.index);
    if (first === undefined) return;
    try {
      const epoch = nextEpoch(this.#directory);
      first.link.send({ type: "ship", epoch });
      this.#elected = first.link;
      log("shipper_elected", { worker: first.index, pid: first.pid, epoch });
    } catch (error) {
      log("shipper_not_elected", { reason: messageOf(error) });
      this.#retry = setTimeout(() => this.#elect(), RETRY_MS);
      this.#retry.unref();
    }
  }
}
