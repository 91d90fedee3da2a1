import type { PowAnswer, PowChallenge } from "../../service/protocol.js";
import { CallFault } from "./faults.js";

/** Solves proofs of work in a worker, one after the other; the page stays quick. */
export class Work {
  readonly #address: string;
  #worker: Worker | undefined;

  /** @param address of the worker's script */
  constructor(address: string) {
    this.#address = address;
  }

  /** @throws CallFault when the browser does not start the worker, or it takes longer than a minute */
  solve(challenge: PowChallenge): Promise<PowAnswer> {
    this.stop();
    const worker = new Worker(this.#address);
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new CallFault("timeout")), 60_000);
      worker.onmessage = ({ data }: MessageEvent<PowAnswer>) => {
        clearTimeout(timer);
        worker.terminate();
        resolve(data);
      };
      worker.onerror = () => {
        clearTimeout(timer);
        reject(new CallFault("network_error"));
      };
      worker.postMessage(challenge);
    });
  }

  stop(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}
