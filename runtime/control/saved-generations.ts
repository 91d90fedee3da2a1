import {
  closeSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Delta } from "../abi/generation.js";
import { contentOf, GenerationContent, type LogLine } from "../process/generation-log.js";
import { log } from "../process/log.js";
import type { Stretch } from "../process/messages.js";

const flushed = promisify(fsync);

/** Rows or modules a line: a line of about 1 MB keeps both ends responsive. */
const PIECE = 250;
/** A log is rewritten when its deltas weigh more than its first generation and more than this. */
const REWRITE_BYTES = 8 * 1024 * 1024;
/** A worker told to read the previous log has done so long before. */
const KEEP_PREVIOUS_MS = 30_000;

const NAME = /^generation-(\d+)\.jsonl$/;

/**
 * The generations on disk: what a starting worker loads, and the last known good one after a restart. One file, begun
 * with a whole generation, then a line for each delta and one for each commit.
 */
export class SavedGenerations {
  /** The committed generation. */
  content = new GenerationContent();
  readonly directory: string;
  private file = "";
  private fd = -1;
  private size = 0;
  private baseSize = 0;

  constructor(directory: string) {
    this.directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** Loads the newest readable generation; `committed` is the store's. Undefined when there is none. */
  restore(committed?: number): GenerationContent | undefined {
    for (const { file } of this.files().reverse()) {
      try {
        return contentOf(readFileSync(file, "utf8"), committed);
      } catch {
        // An incomplete file: the one before it is whole, it was kept until this one was finished.
      }
    }
    return undefined;
  }

  /** Begins a new file with a whole generation, flushed before it counts. */
  async begin(content: GenerationContent): Promise<void> {
    const file = join(this.directory, `generation-${content.number}.jsonl`);
    const unfinished = `${file}.new`;
    const fd = openSync(unfinished, "w", 0o600);
    let size = 0;
    try {
      for (const line of linesOf(content)) {
        size += writeSync(fd, `${JSON.stringify(line)}\n`);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await flushed(fd);
    } catch (error) {
      closeSync(fd);
      rmSync(unfinished, { force: true });
      throw error;
    }
    renameSync(unfinished, file);
    if (this.fd >= 0) closeSync(this.fd);
    Object.assign(this, { fd, file, size, baseSize: size, content });
    const old = this.files().filter((saved) => saved.file !== file);
    setTimeout(() => {
      for (const saved of old) rmSync(saved.file, { force: true });
    }, KEEP_PREVIOUS_MS).unref();
  }

  /** Appends what generation `generation` changes. It counts after `commit`. */
  append(generation: number, delta: Delta): Stretch {
    const offset = this.size;
    return { file: this.file, offset, length: this.write({ generation, base: this.content.number, delta }) };
  }

  /** Resolves when everything appended is on disk. */
  flush(): Promise<void> {
    return flushed(this.fd);
  }

  /** The store has it. A disk that has no room for the line does no harm: the next delta names its base. */
  commit(generation: number, delta: Delta): void {
    this.content.apply(generation, delta);
    try {
      this.write({ commit: generation });
    } catch (error) {
      log("commit_not_noted", { generation, reason: error instanceof Error ? error.message : String(error) });
    }
  }

  /** Where a starting worker finds the committed generation. */
  whole(): Stretch {
    return { file: this.file, offset: 0, length: this.size };
  }

  get wantsRewrite(): boolean {
    return this.size - this.baseSize > Math.max(this.baseSize, REWRITE_BYTES);
  }

  close(): void {
    if (this.fd >= 0) closeSync(this.fd);
    this.fd = -1;
  }

  private write(line: LogLine): number {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    let at = 0;
    // What a failed write leaves behind is overwritten by the next line.
    while (at < bytes.length) at += writeSync(this.fd, bytes, at, bytes.length - at, this.size + at);
    this.size += bytes.length;
    return bytes.length;
  }

  private files(): { file: string; number: number }[] {
    return readdirSync(this.directory)
      .flatMap((name) => {
        const number = NAME.exec(name)?.[1];
        return number === undefined ? [] : [{ file: join(this.directory, name), number: Number(number) }];
      })
      .sort((a, b) => a.number - b.number);
  }
}

function* linesOf(content: GenerationContent): Generator<LogLine> {
  const { number, abi, planHash, globalRules, pluginMetadata } = content;
  yield { begin: number, abi, planHash, globalRules, pluginMetadata };
  for (const routes of pieces([...content.routes.values()])) yield { routes };
  for (const upstreams of pieces([...content.upstreams.values()])) yield { upstreams };
  for (const modules of pieces([...content.modules.values()])) yield { modules };
  yield { end: number };
}

function* pieces<T>(items: T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += PIECE) yield items.slice(at, at + PIECE);
}
