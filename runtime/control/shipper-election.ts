import { messageOf } from "../abi/error-message.js";
import { nextEpoch } from "../logging/spool/cursor.js";
import { log } from "../process/log.js";
import type { ToWorker } from "../process/messages.js";

export interface Candidate {
  readonly index: number;
  readonly pid: number;
  /** Live generation; 0 before the first, when the worker has no secrets yet. */
  readonly active: number;
  readonly link: { send(message: ToWorker): void };
}

/** Delay in ms after an epoch could not be written. */
const RETRY_MS = 1_000;

/**
 * Elects the shipper: the first worker that serves, as long as it is connected. The epoch on disk stops a
 * previous shipper that is still alive.
 */
export class ShipperElection {
  readonly #directory: string;
  #elected: Candidate["link"] | undefined = undefined;
  #candidates: readonly Candidate[] = [];
  #retry: NodeJS.Timeout | undefined = undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Called when workers connect, disconnect or start to serve. */
  look(candidates: readonly Candidate[]): void {
    this.#candidates = candidates;
    if (candidates.some(({ link }) => link === this.#elected)) return;
    this.#elect();
  }

  /** Called when the process that had superseded the elected worker has ended. */
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
