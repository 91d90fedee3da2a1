import type { Limits } from "../../http/limits.js";
import { admissionOf } from "../../process/data-plane.js";
import type { Admission } from "../../proxy/host/admission.js";
import { settingsOf } from "../settings.js";
import type { ConnectionEndpoints } from "./serve.js";

export interface RequestEnvironment {
  ends: Omit<ConnectionEndpoints, "clientAddress" | "tls">;
  securePort: number;
  admission: Admission;
  limits: Limits;
}

export interface ListeningPorts {
  plain: readonly number[];
  secure: readonly number[];
}

/** Value of `$remote_port`. */
const CLIENT_PORT = 40_000;

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
