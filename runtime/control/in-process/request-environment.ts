import type { Limits } from "../../http/limits.js";
import { admissionOf } from "../../process/data-plane.js";
import type { Admission } from "../../proxy/host/admission.js";
import { settingsOf } from "../settings.js";
import type { ConnectionEndpoints } from "./serve.js";

/** Connection of a request, and the settings that apply to it. */
export interface RequestEnvironment {
  ends: Omit<ConnectionEndpoints, "clientAddress" | "tls">;
  securePort: number;
  admission: Admission;
  limits: Limits;
}

/** Ports in the settings. */
export interface ListeningPorts {
  plain: readonly number[];
  secure: readonly number[];
}

/** Value of `$remote_port`. */
const CLIENT_PORT = 40_000;

/**
 * Derives the environment from the settings of a configuration, as a running gateway does.
 * @throws SettingsError if a variable is not set
 */
export function requestEnvironment(
  deployment: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): RequestEnvironment & { ports: ListeningPorts } {
  const { gw = {} } = (deployment ?? {}) as { gw?: object };
  const { admission, limits, data, tls } = settingsOf({ gw }, "/", environment);
  const ends = { clientPort: CLIENT_PORT, serverAddress: "127.0.0.1", serverPort: data[0]?.port ?? 0 };
  const ports = { plain: data.map(({ port }) => port), secure: tls.map(({ port }) => port) };
  return { ends, securePort: tls[0]?.port ?? 443, ports, admission: admissionOf(admission), limits };
}
