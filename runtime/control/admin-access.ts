import { addressList } from "../abi/text/addresses.js";
import { log } from "../process/log.js";
import { type AdminKey, Authentication, generatedAdminKey } from "./admin/authentication.js";
import type { BrowserPolicy } from "./admin/browser.js";
import type { Settings } from "./settings.js";

export class AdminAccess {
  #settings: Settings;
  #authenticated: Authentication;
  #isAllowed: (address: string) => boolean;
  readonly #keyDirectories: readonly [string, string];

  /** @param keyDirectories directory of a generated key, and the fallback if that one is not writable */
  constructor(settings: Settings, keyDirectories: readonly [string, string]) {
    this.#keyDirectories = keyDirectories;
    this.#settings = settings;
    this.#authenticated = new Authentication(this.keys, settings.adminKeyRequired);
    this.#isAllowed = addressList(settings.allowAdmin);
    warnOfOpenAdmin(settings);
  }

  apply(settings: Settings): void {
    const wasRequired = this.#settings.adminKeyRequired;
    this.#settings = settings;
    this.#authenticated = new Authentication(this.keys, settings.adminKeyRequired);
    this.#isAllowed = addressList(settings.allowAdmin);
    if (wasRequired) warnOfOpenAdmin(settings);
  }

  get authentication(): Authentication {
    return this.#authenticated;
  }

  /** Configured keys, or the generated one if none is configured; can be empty if no key is required. */
  get keys(): AdminKey[] {
    const { adminKeys, adminKeyRequired } = this.#settings;
    if (adminKeys.length > 0 || !adminKeyRequired) return adminKeys;
    return [generatedAdminKey(...this.#keyDirectories).key];
  }

  get browser(): BrowserPolicy {
    const { adminKeyRequired, adminCors, admin } = this.#settings;
    return { keyRequired: adminKeyRequired, cors: adminCors, listener: admin.host };
  }

  allows(address: string): boolean {
    return this.#isAllowed(address);
  }
}

/** Logged at every start: any client that reaches the listener can change everything. */
function warnOfOpenAdmin({ adminKeyRequired, adminCors }: Settings): void {
  if (adminKeyRequired) return;
  const reason =
    "admin_key_required is false: everyone who can reach the admin listener may change the configuration";
  const ignored = adminCors ? { ignored: "enable_admin_cors, which needs a key" } : {};
  log("admin_without_key", { reason, ...ignored });
}
