import { randomBytes } from "node:crypto";
import type { CertificateTexts } from "../abi/certificates.js";
import { log } from "../process/log.js";
import type { WorkerSettings } from "../process/messages.js";
import { startOf } from "./metrics/retained.js";
import type { Settings } from "./settings.js";

/** Settings that a reload does not change, by the names that configuration files have for them. */
const FIXED = {
  data: "gw.node_listen",
  tls: "gw.ssl.listen",
  admin: "deployment.admin.admin_listen",
  status: "gw.status",
  metrics: "plugin_attr.prometheus",
  series: "plugin_attr.prometheus",
  workers: "gw.workers",
  drain: "gw.drain",
  store: "deployment.store",
  keyring: "gw.data_encryption.keyring",
  spool: "deployment.log.spool",
} as const satisfies Partial<Record<keyof Settings, string>>;
const FIXED_NAMES = Object.keys(FIXED) as (keyof typeof FIXED)[];

/** As Node takes it: 16 bytes of a name, 16 for the sum, 16 for the cipher. It is in no file. */
const newTicketKey = (): string => randomBytes(48).toString("base64");

/** The settings of the start, or those of the last reload. */
export class SettingsInForce {
  #current: Settings;
  /** The launcher ends what takes longer than it was told at its start. */
  readonly #drainMs: number;
  #ticketKey = newTicketKey();
  readonly #spoolDirectory: string | null;
  readonly #runDirectory: string;
  /** Certificates of files. */
  readonly #certificates: { readonly texts: CertificateTexts };

  constructor(
    settings: Settings,
    spoolDirectory: string | null,
    runDirectory: string,
    certificates: { readonly texts: CertificateTexts } = { texts: {} },
  ) {
    this.#current = settings;
    this.#certificates = certificates;
    this.#drainMs = settings.drain.timeoutMs;
    this.#spoolDirectory = spoolDirectory;
    this.#runDirectory = runDirectory;
  }

  get current(): Settings {
    return this.#current;
  }

  get ofWorkers(): WorkerSettings {
    const { limits, admission, spool, tlsPolicy, accessLog, series } = this.#current;
    const tls = { ...tlsPolicy, ticketKey: this.#ticketKey };
    const certificateTexts = this.#certificates.texts;
    const own = { drainMs: this.#drainMs, certificateTexts, ...(accessLog && { accessLog }) };
    const known = { limits, admission, tls, series, ...own };
    const directory = this.#spoolDirectory;
    return directory === null
      ? known
      : { ...known, spool: { ...spool, directory, ...startOf(this.#runDirectory) } };
  }

  /** Whoever learns a key can read sessions of its time alone. A client with an older ticket makes a whole handshake. */
  rotateTicketKey(): void {
    this.#ticketKey = newTicketKey();
  }

  replace(settings: Settings): void {
    const changed = FIXED_NAMES.filter(
      (name) => JSON.stringify(settings[name]) !== JSON.stringify(this.#current[name]),
    );
    const names = Array.from(new Set(changed.map((name) => FIXED[name])));
    if (names.length > 0) log("restart_needed", { settings: names });
    this.#current = settings;
  }
}
