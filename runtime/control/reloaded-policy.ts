import type { TlsPolicy } from "../abi/tls-policy.js";
import { SettingsError } from "../process/contribution.js";
import { settingsOf } from "./settings.js";

/** TLS policy of settings that were read again, by which their certificates are judged; or why they cannot be taken. */
export type ReloadedPolicy = { policy: TlsPolicy } | { fault: string };

export function reloadedPolicy(
  deployment: unknown,
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): ReloadedPolicy {
  try {
    return { policy: settingsOf(deployment, directory, environment).tlsPolicy };
  } catch (error) {
    if (error instanceof SettingsError) return { fault: error.message };
    throw error;
  }
}
