import { addressList } from "../abi/text/addresses.js";
import { log } from "../process/log.js";
import { type AdminKey, Authentication } from "./admin/authentication.js";
import type { BrowserPolicy } from "./admin/browser.js";
import { generatedAdminKey } from "./admin-key.js";
import type { Settings } from "./settings.js";

/** Who may use the admin API, by the settings of the moment. */
export class AdminAccess {
  #settings: Settings;
  #authenticated: Authentication;
  #isAllowed: (address: string) => boolean;
  readonly #keyDirectories: readonly [string, string];

  /** @param keyDirectories where a key is kept that the gateway makes itself, and where when it cannot be kept there */
  constructor(settings: Settings, keyDirectories: readonly [string, string]) {
    this.#keyDirectories = keyDirectories;
    this.#settings = settings;
    this.#authenticated = new Authentication(this.keys, settings.adminKeyRequired);
    this.#isAllowed = addressList(settings.allowAdmin);
    warnOfOpenAdmin(settings);
  }

  /** Takes the settings of a reload. */
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

  /** Configured keys, or the one that the gateway made because there is none; without a required key there may be none. */
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

/** Said at every start: whoever reaches the listener may change everything. */
function warnOfOpenAdmin({ adminKeyRequired, adminCors }: Settings): void {
  if (adminKeyRequired) return;
  const reason =
    "admin_key_required is false: everybody who reaches the admin listener may change the configuration";
  const ignored = adminCors ? { ignored: "enable_admin_cors, which needs a key" } : {};
  log("admin_without_key", { reason, ...ignored });
}
