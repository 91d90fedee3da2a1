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
import { expiryOf, renewalFault } from "./certificates.js";

/** Minimum interval of polls in ms; above 500 paths, 1 ms for each, as a poll of one takes some 10 µs. */
const LOOK_MS = 500;

/**
 * Maximum number of polls that wait for a file to settle, so that constant touching does not prevent a
 * renewal. Reading a half-written file is harmless: a truncated pair is rejected, and a chain without all its
 * issuers is compared with the last good one.
 */
const MAX_LOOKS = 4;

/** Maximum wait in ms for a fault that only time resolves, since the clock may be set. */
const MAX_WAIT_MS = 3_600_000;

interface Watched {
  readonly paths: CertificateFilePaths;
  /** First resource that names the files. */
  readonly ssl: string;
  /** Other chains of these resources, in PEM. */
  readonly beside: readonly string[];
  readonly names: readonly string[];
  /** Texts of the last read, also if faulty. */
  texts?: CertificatePair;
  pair?: CertificatePair;
  /** The last good pair cannot be presented. */
  isRefused?: boolean | undefined;
  fault?: PairFault;
  /** Epoch seconds at which the fault may disappear without a change of the files. */
  until?: number | undefined;
  /** Usage at the last read, as JSON. */
  use?: string;
}

export interface CertificateFileFault extends PairFault {
  ssl: string;
  /** Clause about the effect on clients of its server names. */
  outcome: string;
}

/**
 * Certificates of files. Control reads them and sends them to workers in memory; no plan, build, store or
 * response contains them. A renewed pair replaces the last good one as soon as it can be presented.
 */
export class CertificateFiles {
  readonly #directory: string;
  readonly #changed: () => void;
  readonly #policy: () => TlsPolicy;
  #watched = new Map<string, Watched>();
  /** State before the prepared generation, which needs other pairs. */
  #replaced = new Map<string, Watched>();
  #waiting: NodeJS.Timeout | undefined;
  #watching: { key: string; paths: WatchedPaths; first: NodeJS.Timeout } | undefined;

  /** @param changed called when workers need other texts */
  constructor(directory: string, changed: () => void, policy: () => TlsPolicy = () => DEFAULT_POLICY) {
    this.#directory = directory;
    this.#changed = changed;
    this.#policy = policy;
  }

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

  /** Reports whether there are files without a good pair so far. */
  get isLacking(): boolean {
    return [...this.#watched.values()].some(({ pair }) => pair === undefined);
  }

  pairOf(chain: CertificateChain): { cert: string } | undefined {
    return "files" in chain ? this.#watched.get(filesKey(chain.files))?.pair : chain;
  }

  /** Returns the reason why rows cannot be presented; a pair that was good once can. Changes nothing. */
  faultIn(tables: PluginTables | undefined, policy?: TlsPolicy): string | undefined {
    return unfit(this.#readAdded(tables, policy));
  }

  /** Returns the fault that `prepare` would return, or the texts that it would add. Changes nothing. */
  attempt(
    tables: PluginTables | undefined,
    policy?: TlsPolicy,
  ): { fault: string } | { texts: CertificateTexts } {
    const added = this.#readAdded(tables, policy);
    const fault = unfit(added, this.#watched);
    return fault === undefined ? { texts: textsOf(added) } : { fault };
  }

  /** Adds the files of a prepared generation to those in use. @returns the reason why a pair cannot be presented */
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

  /** Reads the pairs of a table that have no good one yet, or that are exchanged with other certificates. */
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
   * Reads a pair again if its last good one conflicts with the other chains of the next generation:
   * `cert_file` and `certs` exchange their key types, so neither can change alone.
   * @returns undefined if the pair read now does not fit either
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
   * Keeps and watches only the pairs of the committed generation. Logs those that are unreadable.
   * @param isTaken false if the prepared generation was discarded
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
    // Workers drop keys that no resource names any more.
    if ([...told].some(([key, { pair }]) => pair !== undefined && this.#watched.get(key)?.pair !== pair))
      this.#changed();
    // Changes in the meantime were checked against the discarded generation.
    if (!isTaken && replaced.size > 0) this.look();
  }

  #readFirst(named: Watched): Watched {
    const read = this.#read(named);
    if (read.fault !== undefined) tellFault(read);
    return read;
  }

  /** Reads all pairs again: after a signal, a change of files, or a change of the TLS policy. */
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

  /** Reads the pair again; on a fault it keeps the last good one. */
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

  /** Schedules a read for when a renewed certificate becomes valid or the last good one expires. */
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
    // Detects a change between the read and the first poll, which neither would notice.
    const first = setTimeout(() => this.look(), 2 * lookMs);
    first.unref();
    this.#watching = { key, paths: watched, first };
  }
}

const textsOf = (watched: ReadonlyMap<string, Watched>): CertificateTexts =>
  Object.fromEntries([...watched].flatMap(([key, { pair }]) => (pair === undefined ? [] : [[key, pair]])));

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

/** @param inUse current pairs; an unchanged one without a good pair does not block other changes */
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

/** Reports whether both have the same other chains, on which, unlike names, the presentation depends. */
const haveSameChainsBeside = (one: Watched, other: Watched): boolean =>
  JSON.stringify(one.beside) === JSON.stringify(other.beside);

/** Compares names too: a name added to a pair that cannot be presented would have no certificate. */
const haveSameChainsAndNames = (one: Watched, other: Watched): boolean =>
  haveSameChainsBeside(one, other) && JSON.stringify(one.names) === JSON.stringify(other.names);

function outcomeOf({ pair, isRefused = false }: Watched): string {
  if (pair === undefined) return "no valid pair was read since the start";
  return isRefused ? "clients of its names are rejected" : "the last valid pair is presented";
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
