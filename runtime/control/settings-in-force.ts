import { randomBytes } from "node:crypto";
import type { CertificateTexts } from "../abi/certificates.js";
import { log } from "../process/log.js";
import type { WorkerSettings } from "../process/messages.js";
import { startOf } from "./metrics/worker-metrics.js";
import type { Settings } from "./settings.js";

const FIXED = {
  data: "gw.node_listen",
  tls: "gw.ssl.listen",
  admin: "deployment.admin.admin_listen",
  status: "gw.status",
  /** Fixed because the responder that replaces a missing control receives its path at the start. */
  metrics: "plugin_attr.prometheus",
  series: "plugin_attr.prometheus",
  workers: "gw.workers",
  /** Fixed because the launcher enforces the timeout of its start. */
  drain: "gw.drain",
  store: "deployment.store",
  keyring: "gw.data_encryption.keyring",
  spool: "deployment.log.spool",
} as const satisfies Partial<Record<keyof Settings, string>>;
const FIXED_NAMES = Object.keys(FIXED) as (keyof typeof FIXED)[];
/** Lifetime of a key for TLS session tickets. */
const TICKET_KEY_MS = 12 * 3_600_000;

/** Creates a key as Node expects it: 16 bytes of name, 16 of HMAC key, 16 of AES key. It is never stored. */
const newTicketKey = (): string => randomBytes(48).toString("base64");

export class SettingsInForce {
  #current: Settings;
  #ticketKey = newTicketKey();
  #ticketTimer: NodeJS.Timeout | undefined;
  readonly #spoolDirectory: string | null;
  readonly #runDirectory: string;
  readonly #certificates: { readonly texts: CertificateTexts };

  constructor(
    settings: Settings,
    spoolDirectory: string | null,
    runDirectory: string,
    certificates: { readonly texts: CertificateTexts } = { texts: {} },
  ) {
    this.#current = settings;
    this.#certificates = certificates;
    this.#spoolDirectory = spoolDirectory;
    this.#runDirectory = runDirectory;
  }

  get current(): Settings {
    return this.#current;
  }

  get ofWorkers(): WorkerSettings {
    const { limits, admission, spool, tlsPolicy, accessLog, series, drain } = this.#current;
    const tls = { ...tlsPolicy, ticketKey: this.#ticketKey };
    const certificateTexts = this.#certificates.texts;
    const own = { drainMs: drain.timeoutMs, certificateTexts, ...(accessLog && { accessLog }) };
    const known = { limits, admission, tls, series, ...own };
    const directory = this.#spoolDirectory;
    return directory === null
      ? known
      : { ...known, spool: { ...spool, directory, ...startOf(this.#runDirectory) } };
  }

  /**
   * Rotates the key: a leaked one decrypts only the sessions of its time. A client with an older ticket makes
   * a full handshake.
   */
  rotateTicketKeys(rotated: () => void): void {
    this.#ticketTimer = setInterval(() => {
      this.#ticketKey = newTicketKey();
      rotated();
    }, TICKET_KEY_MS);
    this.#ticketTimer.unref();
  }

  close(): void {
    clearInterval(this.#ticketTimer);
  }

  /** Applies the settings of a reload. Logs the changed ones that need a restart, again at each reload. */
  replace(settings: Settings): void {
    const fixed: Partial<Settings> = {};
    const others = new Set<string>();
    for (const name of FIXED_NAMES) {
      Object.assign(fixed, { [name]: this.#current[name] });
      if (JSON.stringify(settings[name]) !== JSON.stringify(this.#current[name])) others.add(FIXED[name]);
    }
    if (others.size > 0) log("restart_needed", { settings: [...others] });
    this.#current = { ...settings, ...fixed };
  }
}
