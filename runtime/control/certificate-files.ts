import { resolve } from "node:path";
import { isPairFault, type PairFault, pairIn, readPairTexts } from "../abi/certificate-files.js";
import {
  type CertificateChain,
  type CertificateFilePaths,
  type CertificatePair,
  type CertificateTexts,
  certificatesIn,
  filesKey,
} from "../abi/certificates.js";
import type { PluginTables } from "../abi/plugin-tables.js";
import { DEFAULT_POLICY, type TlsPolicy } from "../abi/tls-policy.js";
import { log } from "../process/log.js";
import { WatchedPaths } from "../process/watched-paths.js";
import { expiryOf } from "./certificate-dates.js";
import { renewalFault } from "./renewal.js";

/** Milliseconds between two looks at the files: at least so many, and 1 for each path, as each costs some 10 µs. */
const LOOK_MS = 500;

/**
 * A file that is touched without end keeps no pair from being renewed. Reading one that is half written does no harm: a pair that is
 * cut is none, and a chain whose issuers are still to come is compared with the last good one.
 */
const MAX_LOOKS = 4;

/** Milliseconds to the next look at the most where only time mends a fault: somebody may set the clock. */
const MAX_WAIT_MS = 3_600_000;

/** One pair of files, and what was last read of it. */
interface Watched {
  readonly paths: CertificateFilePaths;
  /** The resource that names them, the first of several. */
  readonly ssl: string;
  /** Other chains of these resources, in PEM. */
  readonly beside: readonly string[];
  /** Server names of these resources. */
  readonly names: readonly string[];
  /** As they were read last, broken ones too. */
  texts?: CertificatePair;
  /** The last good pair. */
  pair?: CertificatePair;
  /** It cannot be used as the last read was. */
  isRefused?: boolean | undefined;
  fault?: PairFault;
  /** Epoch seconds at which the fault may be gone without a change of the files. */
  until?: number | undefined;
  /** Use of the last read, as JSON. */
  use?: string;
}

/** A file that cannot be used, with the resource that names it. */
export interface CertificateFileFault extends PairFault {
  ssl: string;
  /** Clause about clients of its names. */
  outcome: string;
}

/**
 * Certificates of files: what they hold is read here, told to workers in memory, and in no plan, build, store or answer. A renewed
 * pair takes the place of the last good one as soon as it can be presented.
 */
export class CertificateFiles {
  readonly #directory: string;
  readonly #changed: () => void;
  readonly #policy: () => TlsPolicy;
  #watched = new Map<string, Watched>();
  /** As they were before the generation that is prepared, which needs others. */
  #replaced = new Map<string, Watched>();
  #waiting: NodeJS.Timeout | undefined;
  #watching: { key: string; paths: WatchedPaths; first: NodeJS.Timeout } | undefined;

  /**
   * @param directory what relative paths begin at
   * @param changed told when workers need other texts than before
   * @param policy of the workers
   */
  constructor(directory: string, changed: () => void, policy: () => TlsPolicy = () => DEFAULT_POLICY) {
    this.#directory = directory;
    this.#changed = changed;
    this.#policy = policy;
  }

  /** For workers. */
  get texts(): CertificateTexts {
    return textsOf(this.#watched);
  }

  get faults(): CertificateFileFault[] {
    return [...this.#watched.values()].flatMap((watched) =>
      watched.fault === undefined
        ? []
        : [{ ssl: watched.ssl, ...watched.fault, outcome: outcomeOf(watched) }],
    );
  }

  /** Reports whether there are files of which no good pair was ever read. */
  get isLacking(): boolean {
    return [...this.#watched.values()].some(({ pair }) => pair === undefined);
  }

  /** Certificate that is presented of a chain; undefined: none could be read. */
  pairOf(chain: CertificateChain): { cert: string } | undefined {
    return "files" in chain ? this.#watched.get(filesKey(chain.files))?.pair : chain;
  }

  /** Why rows cannot be presented, or undefined; a pair that was good once can. Nothing is kept of what is read. */
  faultIn(tables: PluginTables | undefined, policy?: TlsPolicy): string | undefined {
    return unfit(this.#readAdded(tables, policy));
  }

  /** Returns the fault that `prepare` would, or the texts that it would add. Nothing is kept of what is read. */
  attempt(
    tables: PluginTables | undefined,
    policy?: TlsPolicy,
  ): { fault: string } | { texts: CertificateTexts } {
    const added = this.#readAdded(tables, policy);
    const fault = unfit(added, this.#watched);
    return fault === undefined ? { texts: textsOf(added) } : { fault };
  }

  /**
   * Makes the files of a generation that is prepared known to workers, beside those in use.
   * @param policy that workers get with it; default: that of now
   * @returns why it cannot be presented
   */
  prepare(tables: PluginTables | undefined, policy?: TlsPolicy): string | undefined {
    const added = this.#readAdded(tables, policy);
    const fault = unfit(added, this.#watched);
    if (fault !== undefined) return fault;
    for (const [key, read] of added) {
      const known = this.#watched.get(key);
      if (known !== undefined) this.#replaced.set(key, known);
      this.#watched.set(key, read);
    }
    if (added.size > 0) this.#changed();
    return undefined;
  }

  /** Reads the pairs of a table of which no good one is known, and those that change places with certificates beside them. */
  #readAdded(tables: PluginTables | undefined, policy = this.#policy()): Map<string, Watched> {
    const added = new Map<string, Watched>();
    for (const [key, named] of namedIn(tables)) {
      const known = this.#watched.get(key);
      const read =
        known?.pair === undefined ? this.#read(named, policy) : this.#exchanged(known, named, policy);
      if (read !== undefined) added.set(key, read);
    }
    return added;
  }

  /**
   * Reads a pair again whose last good one cannot be presented beside the other chains of its next generation: the kinds of key of
   * `cert_file` and `certs` are exchanged, so that neither alone can change. @returns undefined if that leads to none
   */
  #exchanged(known: Watched, named: Watched, policy: TlsPolicy): Watched | undefined {
    const { pair } = known;
    if (pair === undefined || haveSameChainsBeside(known, named)) return undefined;
    const use = { policy, beside: named.beside };
    if (!isPairFault(pairIn(pair, known.paths, use))) return undefined;
    const read = this.#read({ ...known, ...named }, policy);
    return read.fault === undefined ? read : undefined;
  }

  /**
   * Keeps those of the committed generation alone, and watches them. What cannot be read is logged.
   * @param isTaken false: it is still the one before the generation that was prepared
   */
  keep(tables: PluginTables | undefined, isTaken = true): void {
    const told = this.#watched;
    const replaced = this.#replaced;
    this.#replaced = new Map();
    this.#watched = new Map(
      [...namedIn(tables)].map(([key, named]) => {
        const before = replaced.get(key);
        const known = (isTaken ? undefined : before) ?? told.get(key) ?? this.#readFirst(named);
        if (before !== undefined && known.pair !== before.pair) tellRenewal(known);
        return [key, { ...known, ...named }];
      }),
    );
    this.#watch();
    this.#await();
    // Workers hold no key that nothing names any more.
    if ([...told].some(([key, { pair }]) => pair !== undefined && this.#watched.get(key)?.pair !== pair))
      this.#changed();
    // A change meanwhile was judged by what has been refused.
    if (!isTaken && replaced.size > 0) this.look();
  }

  #readFirst(named: Watched): Watched {
    const read = this.#read(named);
    if (read.fault !== undefined) tellFault(read);
    return read;
  }

  /** Reads all again: a signal, or files that others stand for than before. */
  look(): void {
    let renewed = 0;
    for (const [key, known] of this.#watched) {
      const read = this.#read(known);
      this.#watched.set(key, read);
      if (read.fault !== undefined && JSON.stringify(read.fault) !== JSON.stringify(known.fault))
        tellFault(read);
      if (read.pair === known.pair || read.pair === undefined) continue;
      renewed += 1;
      tellRenewal(read);
    }
    this.#await();
    if (renewed > 0) this.#changed();
  }

  close(): void {
    clearTimeout(this.#waiting);
    this.#watching?.paths.stop();
    clearTimeout(this.#watching?.first);
    this.#watching = undefined;
  }

  /** Reads the pair again; keeps the last good one beside a fault. */
  #read(known: Watched, policy = this.#policy()): Watched {
    const { paths, ssl, beside, names, pair } = known;
    const use = { policy, beside };
    const common = { paths, ssl, beside, names, use: JSON.stringify([use, names]) };
    const isUseSame = common.use === known.use;
    const lastGood = () => {
      if (pair === undefined) return {};
      return { pair, isRefused: isUseSame ? known.isRefused : isPairFault(pairIn(pair, paths, use)) };
    };
    const texts = readPairTexts(paths, this.#directory);
    if (isPairFault(texts)) return { ...common, ...lastGood(), fault: texts };
    const isSame = known.texts?.cert === texts.cert && known.texts.key === texts.key;
    if (isSame && isUseSame && known.fault === undefined) return known;
    const read = pairIn(texts, paths, use);
    if (isPairFault(read)) return { ...common, texts, ...lastGood(), fault: read };
    if (pair?.cert === read.cert && pair.key === read.key) return { ...common, texts, pair };
    const last = lastGood();
    const isUsable = last.pair !== undefined && last.isRefused !== true;
    const renewal = isUsable ? renewalFault(read.cert, last.pair.cert, names, Date.now() / 1_000) : undefined;
    if (renewal === undefined) return { ...common, texts, pair: read };
    const { reason, until } = renewal;
    return { ...common, texts, ...last, fault: { field: "cert_file", path: paths.cert, reason }, until };
  }

  /** Looks again when a renewed certificate becomes valid, or the last good one expires. */
  #await(): void {
    clearTimeout(this.#waiting);
    const moments = [...this.#watched.values()].flatMap(({ until }) => until ?? []);
    if (moments.length === 0) return;
    const ms = Math.min(...moments) * 1_000 - Date.now();
    this.#waiting = setTimeout(() => this.look(), Math.min(Math.max(ms, LOOK_MS), MAX_WAIT_MS));
    this.#waiting.unref();
  }

  #watch(): void {
    const all = [...this.#watched.values()].flatMap(({ paths }) => [paths.cert, paths.key]);
    const paths = [...new Set(all.map((path) => resolve(this.#directory, path)))].sort();
    const key = paths.join("\n");
    if (key === (this.#watching?.key ?? "")) return;
    this.close();
    if (paths.length === 0) return;
    const lookMs = Math.max(LOOK_MS, paths.length);
    const watched = new WatchedPaths(paths, false, () => this.look(), lookMs, MAX_LOOKS);
    watched.start();
    // A change between the read and the first look is known to neither.
    const first = setTimeout(() => this.look(), 2 * lookMs);
    first.unref();
    this.#watching = { key, paths: watched, first };
  }
}

const textsOf = (watched: ReadonlyMap<string, Watched>): CertificateTexts =>
  Object.fromEntries([...watched].flatMap(([key, { pair }]) => (pair === undefined ? [] : [[key, pair]])));

/** Pairs of files that a table names, with the first resource that does. */
function namedIn(tables: PluginTables | undefined): Map<string, Watched> {
  const named = new Map<string, Watched>();
  for (const { id, snis, chains } of certificatesIn(tables)) {
    const texts = chains.flatMap((chain) => ("files" in chain ? [] : [chain.cert]));
    for (const chain of chains) {
      if (!("files" in chain)) continue;
      const key = filesKey(chain.files);
      const { ssl = id, beside = [], names = [] } = named.get(key) ?? {};
      const all = { beside: [...beside, ...texts], names: [...names, ...snis] };
      named.set(key, { paths: chain.files, ssl, ...all });
    }
  }
  return named;
}

/**
 * Why the first of them that cannot be presented cannot, or undefined.
 * @param inUse one without a good pair that is there with the same chains and names hinders no change of others
 */
function unfit(
  pairs: ReadonlyMap<string, Watched>,
  inUse: ReadonlyMap<string, Watched> = new Map(),
): string | undefined {
  for (const [key, read] of pairs) {
    const known = inUse.get(key);
    if (read.fault === undefined || (known && haveSameChainsAndNames(known, read))) continue;
    return `ssl "${read.ssl}" cannot be presented: ${faultText(read.fault)}`;
  }
  return undefined;
}

/** Reports whether a pair has the same other chains beside it, which decide whether it can be presented. Its names do not. */
const haveSameChainsBeside = (one: Watched, other: Watched): boolean =>
  JSON.stringify(one.beside) === JSON.stringify(other.beside);

/** Compares names too: a change that adds a name to a pair that cannot be presented leaves that name without a certificate. */
const haveSameChainsAndNames = (one: Watched, other: Watched): boolean =>
  haveSameChainsBeside(one, other) && JSON.stringify(one.names) === JSON.stringify(other.names);

function outcomeOf({ pair, isRefused = false }: Watched): string {
  if (pair === undefined) return "no good pair was read since the start";
  return isRefused ? "clients of its names are refused" : "the last good pair is presented";
}

export const faultText = ({ field, path, reason }: PairFault): string => `${field} ${path}: ${reason}`;

function tellRenewal({ ssl, paths, pair }: Watched): void {
  if (pair === undefined) return;
  const expires = new Date(expiryOf(pair.cert) * 1_000).toISOString();
  log("certificate_renewed", { ssl, cert_file: paths.cert, expires });
}

function tellFault({ ssl, pair, fault }: Watched): void {
  log("certificate_file_unusable", { ssl, ...fault, last_good: pair !== undefined });
}
