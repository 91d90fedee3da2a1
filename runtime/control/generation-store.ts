import {
  closeSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { messageOf } from "../abi/error-message.js";
import type { Delta } from "../abi/generation.js";
import type { PluginFile } from "../abi/plugin-bundle.js";
import { contentOf, GenerationContent, type LogLine, lineOf, linesIn } from "../process/generation-log.js";
import { log } from "../process/log.js";
import type { FileRange } from "../process/messages.js";
import { keepBundles, removeBundlesBut } from "./plugin-bundles.js";

const flushed = promisify(fsync);

/** Rows or modules in one line: at about 1 MB a line, both ends stay responsive. */
const PIECE = 250;
/** Minimum size of deltas to rewrite a log; they must also outweigh its first generation. */
const REWRITE_BYTES = 8 * 1024 * 1024;
/** Zeros behind the log that reserve disk space, so that removals can be logged on a full disk. */
const RESERVE_BYTES = 65_536;
/** Time in ms after which no worker reads the previous log any more. */
const KEEP_PREVIOUS_MS = 30_000;

const TRIAL = "trial.jsonl";
const NAME = /^generation-(\d+)\.jsonl$/;
const UNFINISHED = /^generation-\d+\.jsonl\.new$/;

/**
 * Generations on disk: a starting worker loads the committed one, and a restart the last known good one. One
 * file starts with a full generation, followed by one line for each delta and each commit. Bundles of its
 * plugins from packages are stored beside it.
 */
export class GenerationStore {
  content = new GenerationContent();
  /** Bundles of plugins in this run; the next file stores them. */
  plugins: readonly PluginFile[] = [];
  readonly #stored = new Set<string>();
  #storedSince: { put: string[]; remove: string[] } = { put: [], remove: [] };
  readonly directory: string;
  readonly #fallback: string | undefined;
  #file = "";
  #fd = -1;
  #size = 0;
  /** Size of the file, including the zeros behind its last line. */
  #reservedSize = 0;
  #baseSize = 0;
  /** Note in the file; differs from that of the content until the disk accepts the line. */
  #noted: Note | undefined;

  /**
   * Removes the unfinished files of a killed process.
   * @param otherwise fallback if the directory rejects a generation (full, read-only): it runs unsaved
   */
  constructor(directory: string, otherwise?: string) {
    this.directory = directory;
    this.#fallback = otherwise;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const place of otherwise === undefined ? [directory] : [directory, otherwise])
      for (const file of unfinishedIn(place)) removed(file);
  }

  /** Loads the newest readable generation; `committed` is the store's. Undefined if there is none. */
  restore(committed?: number): GenerationContent | undefined {
    return this.#newest((text) => contentOf(text, committed));
  }

  /** Returns the names of resources in the store when the newest readable generation was committed. */
  storedNames(): Set<string> {
    const names = this.#newest((text) => {
      contentOf(text);
      const found = new Set<string>();
      for (const line of linesIn(text)) {
        if (!("stored" in line)) continue;
        for (const name of line.stored.remove) found.delete(name);
        for (const name of line.stored.put) found.add(name);
      }
      return found;
    });
    return names ?? new Set();
  }

  /** Records names that the store committed; the next commit writes them to the log. */
  noteStored(put: readonly string[], remove: readonly string[]): void {
    for (const name of remove) this.#stored.delete(name);
    for (const name of put) this.#stored.add(name);
    this.#storedSince.remove.push(...remove);
    this.#storedSince.put.push(...put);
  }

  #newest<T>(read: (text: string) => T): T | undefined {
    for (const { file } of this.#files().reverse()) {
      try {
        return read(readFileSync(file, "utf8"));
      } catch {
        // An incomplete file: the previous one is complete, as it was kept until this one was finished.
      }
    }
    return undefined;
  }

  async begin(content: GenerationContent): Promise<void> {
    const name = `generation-${content.number}.jsonl`;
    const stored = [...this.#stored];
    content.plugins = this.plugins.map(({ name, hash, exports }) => ({ name, hash, exports }));
    // The content's inputs may change during the write.
    const note = noteOf(content);
    const writtenIn = async (directory: string) => {
      await keepBundles(directory, this.plugins);
      return written(join(directory, name), linesOf(content, note, stored));
    };
    this.#storedSince = { put: [], remove: [] };
    const begun = await writtenIn(this.directory).catch((error: Error) => {
      if (this.#fallback === undefined) throw error;
      log("generation_not_kept", { generation: content.number, reason: error.message });
      return writtenIn(this.#fallback);
    });
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#file = begun.file;
    this.#fd = begun.fd;
    this.#size = begun.size;
    this.#reservedSize = begun.size;
    this.#hold(2 * RESERVE_BYTES);
    this.#baseSize = begun.size;
    this.content = content;
    this.#noted = note;
    this.#tryNote();
    if (dirname(begun.file) !== this.directory) return;
    const old = this.#files().filter((saved) => saved.file !== begun.file);
    setTimeout(() => {
      for (const { file } of old) removed(file);
      removeBundlesBut(this.directory, this.plugins);
    }, KEEP_PREVIOUS_MS).unref();
  }

  /**
   * Appends the delta of generation `generation`, which takes effect with `commit`.
   * @throws NodeJS.ErrnoException if the disk is full; removals succeed as long as the reserve lasts
   */
  append(generation: number, delta: Delta): FileRange {
    this.#note();
    const offset = this.#size;
    const line = lineOf({ generation, base: this.content.number, delta });
    const { modules, routes, upstreams } = delta;
    const puts = modules.put.length + routes.put.length + upstreams.put.length > 0;
    const fault = this.#hold(line.length + 2 * RESERVE_BYTES);
    if (puts && this.#reservedSize < offset + line.length + RESERVE_BYTES) throw fault;
    return { file: this.#file, offset, length: this.#write(line) };
  }

  /** Reserves `bytes` behind the last line; returns the error of a disk that does not allow it. */
  #hold(bytes: number): unknown {
    const missing = this.#size + bytes - this.#reservedSize;
    if (missing < RESERVE_BYTES) return undefined;
    const before = this.#reservedSize;
    try {
      this.#reservedSize += writeAll(this.#fd, Buffer.alloc(missing), before);
      return undefined;
    } catch (error) {
      this.#reservedSize = Math.max(before, fstatSync(this.#fd).size);
      return error;
    }
  }

  /** Writes a delta for a dry run of the workers to a file of its own; it never takes effect. */
  appendTrial(generation: number, delta: Delta): FileRange {
    const file = join(dirname(this.#file), TRIAL);
    const line = lineOf({ generation, base: this.content.number, delta });
    const fd = openSync(file, "w", 0o600);
    try {
      return { file, offset: 0, length: writeAll(fd, line, 0) };
    } finally {
      closeSync(fd);
    }
  }

  removeTrial(): void {
    removed(join(dirname(this.#file), TRIAL));
  }

  flush(): Promise<void> {
    return flushed(this.#fd);
  }

  /** Commits a generation that the store has. A full disk is harmless here: the next delta names its base. */
  commit(generation: number, delta: Delta): void {
    this.content.apply(generation, delta);
    try {
      this.#write(lineOf({ commit: generation }));
      const storedSince = this.#storedSince;
      this.#storedSince = { put: [], remove: [] };
      if (storedSince.put.length + storedSince.remove.length > 0)
        this.#write(lineOf({ stored: storedSince }));
    } catch (error) {
      log("commit_not_noted", { generation, reason: messageOf(error) });
    }
  }

  /** @param inputs undefined if unknown */
  noteInputs(inputs: string | undefined, secretNames: readonly string[], policy: string | undefined): void {
    Object.assign(this.content, { inputs, secretNames, policy });
    this.#tryNote();
  }

  /** Writes the note; if the disk is full, it is written before the next delta. */
  #tryNote(): void {
    try {
      this.#note();
    } catch (error) {
      log("commit_not_noted", { generation: this.content.number, reason: messageOf(error) });
    }
  }

  #note(): void {
    const note = noteOf(this.content);
    if (isDeepStrictEqual(this.#noted, note)) return;
    this.#write(lineOf(note));
    this.#noted = note;
  }

  /** File range of the committed generation, for a starting worker. */
  whole(): FileRange {
    return { file: this.#file, offset: 0, length: this.#size };
  }

  get wantsRewrite(): boolean {
    return this.#size - this.#baseSize > Math.max(this.#baseSize, REWRITE_BYTES);
  }

  close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
  }

  #write(line: Buffer): number {
    // The next line overwrites the rest of a failed write.
    const length = writeAll(this.#fd, line, this.#size);
    this.#size += length;
    this.#reservedSize = Math.max(this.#reservedSize, this.#size);
    return length;
  }

  #files(): { file: string; number: number }[] {
    return readdirSync(this.directory)
      .flatMap((name) => {
        const number = NAME.exec(name)?.[1];
        return number === undefined ? [] : [{ file: join(this.directory, name), number: Number(number) }];
      })
      .sort((a, b) => a.number - b.number);
  }
}

async function written(
  file: string,
  lines: Iterable<LogLine>,
): Promise<{ file: string; fd: number; size: number }> {
  const unfinished = `${file}.new`;
  const fd = openSync(unfinished, "w", 0o600);
  let size = 0;
  try {
    for (const line of lines) {
      size += writeAll(fd, lineOf(line), size);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await flushed(fd);
    renameSync(unfinished, file);
  } catch (error) {
    closeSync(fd);
    removed(unfinished);
    throw error;
  }
  return { file, fd, size };
}

/** Unfinished files; includes symbolic links, which are removed themselves. */
const unfinishedIn = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && (entry.name === TRIAL || UNFINISHED.test(entry.name)))
    .map(({ name }) => join(directory, name));

/** Repeats partial writes: a disk that runs full accepts a part and fails the next call. */
function writeAll(fd: number, bytes: Buffer, position: number): number {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, position + at);
  return bytes.length;
}

function removed(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (error) {
    log("generation_not_removed", { file, reason: messageOf(error) });
  }
}

const noteOf = ({ inputs, secretNames, policy }: GenerationContent) => ({
  ...{ inputs: inputs ?? "", secretNames },
  ...(policy !== undefined && { policy }),
});

type Note = ReturnType<typeof noteOf>;

function* linesOf(content: GenerationContent, note: Note, stored: readonly string[]): Generator<LogLine> {
  const { number, abi, planHash, globalRules, pluginMetadata, tables, plugins = [] } = content;
  const rest = { ...(tables && { tables }), plugins, ...note };
  yield { begin: number, abi, planHash, globalRules, pluginMetadata, ...rest };
  for (const routes of pieces([...content.routes.values()])) yield { routes };
  for (const upstreams of pieces([...content.upstreams.values()])) yield { upstreams };
  for (const modules of pieces([...content.modules.values()])) yield { modules };
  for (const put of pieces(stored)) yield { stored: { put, remove: [] } };
  yield { end: number };
}

function* pieces<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += PIECE) yield items.slice(at, at + PIECE);
}
