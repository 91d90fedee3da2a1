import type { PowAnswer, PowChallenge } from "../../service/protocol.js";
import { CallError } from "./faults.js";

/** Timeouts in ms; memory-hard work may take minutes on an old phone. */
const PATIENCE_MS = { puzzles: 60_000, memory: 240_000 };

export interface WorkScripts {
  /** SHA-256 puzzles. */
  worker?: string;
  /** Argon2id; only loaded on demand. */
  memoryWorker?: string;
}

/** One proof of work after the other, in workers; the page stays responsive. */
export class Work {
  readonly #scripts: WorkScripts;
  #workers: Worker[] = [];

  constructor(scripts: WorkScripts) {
    this.#scripts = scripts;
  }

  /** @throws CallError if the browser does not start a worker, or at the timeout */
  async solve(challenge: PowChallenge): Promise<PowAnswer> {
    this.stop();
    const { memory } = challenge;
    if (memory === undefined) return this.#puzzles(challenge);
    const start = performance.now();
    const [answer, hashes] = await Promise.all([this.#puzzles(challenge), this.#hashes(challenge)]);
    if (hashes === null) return this.#puzzles({ ...challenge, bits: memory.instead_bits });
    return { ...answer, memory: hashes, ms: Math.round(performance.now() - start) };
  }

  stop(): void {
    for (const worker of this.#workers) worker.terminate();
    this.#workers = [];
  }

  #puzzles(challenge: PowChallenge): Promise<PowAnswer> {
    const { memory, ...puzzles } = challenge;
    const patience = memory === undefined ? PATIENCE_MS.puzzles : PATIENCE_MS.memory;
    return this.#ask<PowAnswer>(this.#scripts.worker, puzzles, patience);
  }

  /** Null if the browser has no WebAssembly, or does not start this worker. */
  async #hashes({ salt, memory }: PowChallenge): Promise<string[] | null> {
    if (typeof WebAssembly !== "object") return null;
    const hashes = this.#ask<string[] | null>(
      this.#scripts.memoryWorker,
      { salt, memory },
      PATIENCE_MS.memory,
    );
    return hashes.catch(() => null);
  }

  #ask<Answer>(script: string | undefined, message: object, patience: number): Promise<Answer> {
    const worker = new Worker(script ?? "");
    this.#workers.push(worker);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new CallError("timeout")), patience);
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        clearTimeout(timer);
        worker.terminate();
        resolve(data);
      };
      worker.onerror = () => {
        clearTimeout(timer);
        reject(new CallError("network_error"));
      };
      worker.postMessage(message);
    });
  }
}
