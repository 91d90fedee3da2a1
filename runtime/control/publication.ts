import { isOfService } from "../../plugins/control.js";
import { certificatesIn } from "../abi/certificates.js";
import { messageOf, writeFaultOf } from "../abi/error-message.js";
import type { Artifact, Delta } from "../abi/generation.js";
import type { PluginTables } from "../abi/plugin-tables.js";
import type { TlsPolicy } from "../abi/tls-policy.js";
import { GenerationContent } from "../process/generation-log.js";
import { log } from "../process/log.js";
import type { FileRange, NextGeneration, Secrets } from "../process/messages.js";
import { CertificateFiles } from "./certificate-files.js";
import { certificateFault } from "./certificates.js";
import { isEmpty } from "./delta.js";
import type { Prepared } from "./expected-answers.js";
import type { GenerationStore } from "./generation-store.js";
import { namesIn } from "./route-quarantine.js";
import { StoreError } from "./store/store.js";
import type { Committed, Workers } from "./workers.js";
export type Published =
  | { ok: true; generation: number }
  /** A worker rejected it; nothing has changed. */
  | { ok: false; refused: string; code?: string }
  /** The disk or the store rejected it; nothing has changed. */
  | { ok: false; store: string };

export type Unpublished = Exclude<Published, { ok: true }>;

/** Publishes generations: every worker prepares, the store commits, all activate. One at a time (`Queue`). */
export class Publication {
  readonly #saved: GenerationStore;
  readonly #workers: Workers;
  /** Secrets of the committed generation; they exist only in memory, here and in processes that use them. */
  secrets: Secrets = {};
  readonly #tellServices: () => Promise<void>;
  readonly #certificates: CertificateFiles;
  /** Highest number assigned; the number of a rejected generation is not used again. */
  #number: number;

  constructor(
    saved: GenerationStore,
    workers: Workers,
    number: number,
    tellServices: () => Promise<void> = async () => {},
    certificates = new CertificateFiles(".", () => {}),
  ) {
    this.#saved = saved;
    this.#workers = workers;
    this.#tellServices = tellServices;
    this.#certificates = certificates;
    this.#number = number;
  }

  /** Secrets for workers, without those of services. */
  get workerSecrets(): Secrets {
    return ofWorkers(this.secrets);
  }

  /** Committed generation for a starting worker; undefined before the first. */
  get committed(): Omit<Committed, "settings"> | undefined {
    const { content, plugins } = this.#saved;
    const { number, planHash } = content;
    if (number === 0) return undefined;
    const secrets = this.workerSecrets;
    return { number, planHash, log: () => this.#saved.whole(), secrets, plugins, ...namesIn(content) };
  }

  /** Reports whether a delta is already committed: files may change without effect. */
  isCommitted(delta: Delta, secrets: Secrets): boolean {
    const { planHash } = this.#saved.content;
    if (this.#certificates.isLacking) return false;
    return isEmpty(delta) && delta.planHash === planHash && isSame(this.secrets, secrets);
  }

  /** Starts with a full generation. Workers that serve it already continue, the others load it. */
  async begin(content: GenerationContent, secrets: Secrets): Promise<void> {
    this.secrets = secrets;
    await this.#saved.begin(content);
    this.#certificates.keep(content.tables);
    this.#number = Math.max(this.#number, content.number);
    this.#workers.bringAllUpToDate();
  }

  /** Starts with an artifact under a new number, which `commit` writes to the store. */
  async beginWith(artifact: Artifact, secrets: Secrets, commit: (generation: number) => void): Promise<void> {
    const generation = ++this.#number;
    commit(generation);
    await this.begin(GenerationContent.of(generation, artifact), secrets);
  }

  /**
   * @param commit stores the change together with the generation's number; throws StoreError
   * @param policy for changed certificates; undefined for the current one
   */
  async publish(
    delta: Delta,
    secrets: Secrets,
    commit: (generation: number) => void,
    policy?: TlsPolicy,
  ): Promise<Published> {
    const { number } = this.#saved.content;
    try {
      const fault = this.#certificates.prepare(this.#tablesAfter(delta), policy);
      if (fault !== undefined) return unpresentable(fault);
      return await this.#publish(delta, secrets, commit, policy);
    } finally {
      const { tables, number: committed } = this.#saved.content;
      this.#certificates.keep(tables, committed !== number);
    }
  }

  certificateFault({ tables }: Pick<Artifact, "tables">, policy?: TlsPolicy): string | undefined {
    return this.#certificates.faultIn(tables, policy);
  }

  async #publish(
    delta: Delta,
    secrets: Secrets,
    commit: (generation: number) => void,
    policy: TlsPolicy | undefined,
  ): Promise<Published> {
    const generation = ++this.#number;
    let stretch: ReturnType<GenerationStore["append"]>;
    try {
      stretch = this.#saved.append(generation, delta);
    } catch (error) {
      return { ok: false, store: unsavedFor(error) };
    }
    const flushed = this.#saved.flush().then(
      () => undefined,
      (error: unknown) => unsavedFor(error),
    );
    const others = !isSame(this.secrets, secrets);
    const next = this.#toWorkers(generation, stretch, secrets, policy);
    const prepared = await this.#workers.prepare(next, makingMs(delta));
    const isUnjudged = prepared.ok && prepared.isUnjudged === true;
    const judged = isUnjudged ? await this.#judge(delta, secrets, policy) : prepared;
    const refused = refusalIn(generation, judged);
    if (refused) {
      this.#workers.discard(generation);
      return refused;
    }
    const unsaved = await flushed;
    if (unsaved !== undefined) return this.#withdraw(generation, unsaved);
    try {
      commit(generation);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return this.#withdraw(generation, error.message);
    }
    this.#saved.commit(generation, delta);
    this.secrets = secrets;
    this.noteInputs(this.#saved.content.inputs, this.#saved.content.policy);
    const concernsServices = delta.tables !== undefined || others;
    await Promise.all([this.#workers.activate(generation), concernsServices && this.#tellServices()]);
    return { ok: true, generation };
  }

  /**
   * Checks changed certificates if no worker is alive to do so: each would start without a faulty one. Other
   * writes are accepted, since they may fix what ends the workers.
   */
  async #judge(delta: Delta, secrets: Secrets, policy = this.#workers.tlsPolicy): Promise<Prepared> {
    const known = new Set(certificatesIn(this.#saved.content.tables).map((row) => JSON.stringify(row)));
    const changed = certificatesIn(delta.tables).filter((row) => !known.has(JSON.stringify(row)));
    const { texts } = this.#certificates;
    const fault = await certificateFault(changed, { secrets, texts, policy });
    return fault === undefined ? { ok: true } : { ok: false, reason: fault, code: UNPRESENTABLE };
  }

  /** Inputs are unknown if the generation uses packages, which may change. */
  noteInputs(inputs: string | undefined, policy: string | undefined): void {
    const isAll = this.#saved.plugins.length === 0;
    this.#saved.noteInputs(isAll ? inputs : undefined, Object.keys(this.secrets).sort(), policy);
  }

  /** Returns the reason why `publish` would fail, as far as known before anything is opened or stored. */
  async dryRun(delta: Delta, secrets: Secrets, policy?: TlsPolicy): Promise<Unpublished | undefined> {
    const read = this.#certificates.attempt(this.#tablesAfter(delta), policy);
    if ("fault" in read) return unpresentable(read.fault);
    const generation = ++this.#number;
    try {
      const stretch = this.#saved.appendTrial(generation, delta);
      const next = this.#toWorkers(generation, stretch, secrets, policy);
      return refusalIn(generation, await this.#workers.dryRun(next, read.texts, makingMs(delta)));
    } catch (error) {
      return { ok: false, store: unsavedFor(error) };
    } finally {
      this.#saved.removeTrial();
    }
  }

  #tablesAfter(delta: Delta): PluginTables {
    return { ...this.#saved.content.tables, ...delta.tables };
  }

  /** @param secrets secrets of the next generation, sent to workers only if theirs change */
  #toWorkers(generation: number, delta: FileRange, secrets: Secrets, tls?: TlsPolicy): NextGeneration {
    const own = ofWorkers(secrets);
    const told = isSame(this.workerSecrets, own) ? {} : { secrets: own };
    return { generation, delta, ...told, ...(tls && { tls }) };
  }

  /** Rewrites the log if its deltas outweigh the first generation; called while no write is pending. */
  async removeOldFiles(): Promise<void> {
    if (!this.#saved.wantsRewrite) return;
    try {
      await this.#saved.begin(this.#saved.content);
    } catch (error) {
      log("generation_not_rewritten", { reason: messageOf(error) });
    }
  }

  #withdraw(generation: number, reason: string): Published {
    this.#workers.discard(generation);
    log("write_not_stored", { generation, reason });
    return { ok: false, store: reason };
  }
}

const unsavedFor = (error: unknown): string => `the generation cannot be saved: ${writeFaultOf(error)}`;

const UNPRESENTABLE = "GW6008";

const unpresentable = (fault: string): Unpublished => ({ ok: false, refused: fault, code: UNPRESENTABLE });

/** Budget in ms for one TLS context, which takes up to 1.3 ms of CPU shared with requests and workers. */
const CONTEXT_MS = 5;

const makingMs = ({ tables }: Delta): number => certificatesIn(tables).length * CONTEXT_MS;

function refusalIn(generation: number, prepared: Prepared): Unpublished | undefined {
  if (prepared.ok) return undefined;
  const { worker, reason, code, exhausted = false } = prepared;
  log("generation_refused", { generation, worker, reason });
  const who = worker === undefined ? "no worker can" : `worker ${worker} cannot`;
  if (exhausted) return { ok: false, store: `${who} load it now: ${reason}` };
  return { ok: false, refused: reason, ...(code !== undefined && { code }) };
}

function ofWorkers(secrets: Secrets): Secrets {
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => !isOfService(name)));
}

export function isSame(before: Secrets, after: Secrets): boolean {
  const names = Object.keys(after);
  return names.length === Object.keys(before).length && names.every((name) => before[name] === after[name]);
}
