import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { serviceContributions } from "../../plugins/control.js";
import { substituteEnvironment } from "../abi/environment.js";
import { SERIES_BOUNDS, type SeriesBounds } from "../abi/folded-metrics.js";
import { type PathSettings, pathRulesFrom } from "../abi/path.js";
import { hasKnownCiphers, type TlsPolicy, type TlsPolicyInput, tlsPolicyFrom } from "../abi/tls-policy.js";
import type { Limits } from "../http/limits.js";
import { limitsFrom } from "../http/limits.js";
import type { AccessLogSettings } from "../process/access-log.js";
import { type SectionContext, type ServiceContribution, SettingsError } from "../process/contribution.js";
import type { ListenAddress } from "../process/launch-plan.js";
import { type AdmissionSettings, DEFAULT_ADMISSION, type SpoolPlace } from "../process/messages.js";
import type { AdminKey } from "./admin/authentication.js";
import type { HistoryLimits } from "./history/history.js";

/** Deployment keys with their defaults (reference section 12), ready to use. */
export interface Settings {
  data: ListenAddress[];
  /** Setting `gw.ssl.listen`. */
  tls: ListenAddress[];
  tlsPolicy: TlsPolicy;
  status: ListenAddress;
  /** Address of the metrics for Prometheus; null if disabled. */
  metrics: (ListenAddress & { uri: string }) | null;
  series: SeriesBounds;
  admin: ListenAddress;
  adminKeys: AdminKey[];
  adminKeyRequired: boolean;
  allowAdmin: string[];
  adminCors: boolean;
  adminUi: boolean;
  /** Absolute path of the audit log; null if disabled. */
  auditLog: string | null;
  history: HistoryLimits;
  /** Connection limit of the admin listener, and also of the status listener. */
  adminConnections: number;
  /** Number of workers; 0 for a single process. */
  workers: number;
  /** Durations in ms. */
  drain: { delayMs: number; timeoutMs: number };
  /** Keys that encrypt secrets in the store, the current one first; empty for a key beside the store. */
  keyring: string[];
  store: string;
  spool: SpoolPlace;
  admission: AdmissionSettings;
  /** Null if disabled. */
  accessLog: AccessLogSettings | null;
  limits: Limits;
  services: Readonly<Record<string, ServiceSettings>>;
}

export interface ServiceSettings {
  module: string;
  listen: ListenAddress;
  /** External URL; "" for that of the listener. */
  url: string;
  settings: unknown;
}

interface DeploymentKeys {
  gw?: {
    node_listen?: number | (number | { ip?: string; port: number })[];
    ssl?: TlsPolicyInput & { listen?: (number | { ip?: string; port: number })[] };
    status?: { ip?: string; port?: number } | number;
    workers?: number;
    trusted_addresses?: string[];
    real_ip_header?: AdmissionSettings["realIpHeader"];
    underscores_in_headers?: "drop" | "keep" | "refuse";
    allow_trace?: boolean;
    path?: PathSettings;
    access_log?: { path?: string; format?: string; escape?: AccessLogSettings["escape"] };
    limits?: Record<string, unknown>;
    data_encryption?: { keyring?: string[] };
    drain?: { delay?: number; timeout?: number };
  };
  deployment?: {
    admin?: {
      admin_listen?: { ip?: string; port?: number } | number;
      admin_key?: { name?: string; key: string; role?: "admin" | "viewer" }[];
      admin_key_required?: boolean;
      allow_admin?: string[];
      enable_admin_cors?: boolean;
      enable_admin_ui?: boolean;
      audit_log?: string;
      history?: { max_entries?: number; max_bytes?: number };
      connections?: number;
    };
    store?: { path?: string };
    log?: { spool?: { path?: string; max_bytes?: number; reserve_bytes?: number } };
  };
  plugin_attr?: {
    prometheus?: {
      enable_export_server?: boolean;
      export_addr?: { ip?: string; port?: number };
      export_uri?: string;
      series_limit?: number;
      drop_labels?: string[];
    };
  };
}

/** @param keys validated; null if there are none @throws SettingsError if an environment variable is not set */
export function settingsOf(
  keys: unknown,
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const known = (resolved(keys ?? {}, environment) ?? {}) as Record<string, unknown>;
  const { gw = {}, deployment = {}, plugin_attr = {} } = known as DeploymentKeys;
  const { admin = {}, store = {}, log = {} } = deployment;
  const storeDirectory = resolve(directory, store.path ?? ".gwc/store");
  const admission = admissionOf(gw);
  return {
    data: listensOf(gw.node_listen ?? 9080, "gw.node_listen"),
    tls: listensOf(gw.ssl?.listen ?? [], "gw.ssl.listen"),
    tlsPolicy: tlsPolicyOf(gw.ssl),
    status: listenOf(gw.status, 7085, "gw.status"),
    metrics: metricsOf(plugin_attr),
    series: seriesOf(plugin_attr),
    admin: listenOf(admin.admin_listen, 9180, "deployment.admin.admin_listen"),
    adminKeys: (admin.admin_key ?? []).map(({ name = "admin", key, role = "admin" }) => ({
      name,
      key,
      role,
    })),
    adminKeyRequired: admin.admin_key_required ?? true,
    allowAdmin: admin.allow_admin ?? ["127.0.0.0/8", "::1/128"],
    adminCors: admin.enable_admin_cors ?? false,
    adminUi: admin.enable_admin_ui ?? true,
    auditLog: admin.audit_log === undefined ? null : resolve(directory, admin.audit_log),
    history: {
      entries: admin.history?.max_entries ?? 1_000,
      bytes: admin.history?.max_bytes ?? 16_777_216,
    },
    adminConnections: admin.connections ?? 256,
    workers: gw.workers ?? availableParallelism(),
    drain: { delayMs: (gw.drain?.delay ?? 0) * 1_000, timeoutMs: (gw.drain?.timeout ?? 30) * 1_000 },
    store: storeDirectory,
    spool: {
      directory: resolve(directory, log.spool?.path ?? join(storeDirectory, "spool")),
      maxBytes: log.spool?.max_bytes ?? 4 * 1_073_741_824,
      reserveBytes: log.spool?.reserve_bytes ?? 67_108_864,
    },
    keyring: gw.data_encryption?.keyring ?? [],
    admission,
    accessLog: accessLogOf(gw.access_log, directory),
    limits: limitsFrom(gw.limits ?? {}),
    services: servicesOf(known, { directory, storeDirectory, ...admission }),
  };
}

function servicesOf(keys: Readonly<Record<string, unknown>>, around: SectionContext): Settings["services"] {
  const configured = serviceContributions().filter(({ name }) => keys[name] !== undefined);
  return Object.fromEntries(
    configured.map((service) => [service.name, settled(service, service.read(keys[service.name], around))]),
  );
}

function settled({ module, listen, url }: ServiceContribution, settings: unknown): ServiceSettings {
  return { module: fileURLToPath(module), listen: listen(settings), url: url(settings), settings };
}

export function unkept(services: Settings["services"]): Settings["services"] {
  const configured = serviceContributions().flatMap((service): [string, ServiceSettings][] => {
    const known = services[service.name];
    return known ? [[service.name, settled(service, service.unkept(known.settings))]] : [];
  });
  return Object.fromEntries(configured);
}

function accessLogOf(
  written: NonNullable<DeploymentKeys["gw"]>["access_log"],
  directory: string,
): Settings["accessLog"] {
  if (written === undefined) return null;
  const { path = "stdout", format = "combined" } = written;
  const file = path === "stdout" ? null : resolve(directory, path);
  return { path: file, format, escape: written.escape ?? "default" };
}

function admissionOf(gw: NonNullable<DeploymentKeys["gw"]>): AdmissionSettings {
  return {
    trustedAddresses: gw.trusted_addresses ?? DEFAULT_ADMISSION.trustedAddresses,
    realIpHeader: gw.real_ip_header ?? DEFAULT_ADMISSION.realIpHeader,
    underscores: gw.underscores_in_headers ?? DEFAULT_ADMISSION.underscores,
    allowTrace: gw.allow_trace ?? DEFAULT_ADMISSION.allowTrace,
    pathRules: pathRulesFrom(gw.path),
  };
}

function listensOf(
  listen: NonNullable<NonNullable<DeploymentKeys["gw"]>["node_listen"]>,
  setting: string,
): ListenAddress[] {
  const all = typeof listen === "number" ? [listen] : listen;
  return all.map((one) =>
    typeof one === "number"
      ? { host: "0.0.0.0", port: one, setting }
      : { host: one.ip ?? "0.0.0.0", port: one.port, setting },
  );
}

/** @throws SettingsError if no cipher suite is known */
function tlsPolicyOf(written: TlsPolicyInput | undefined): TlsPolicy {
  const policy = tlsPolicyFrom(written);
  if (!hasKnownCiphers(policy))
    throw new SettingsError("gw.ssl.ssl_ciphers contains no cipher suite that this gateway supports");
  return policy;
}

function listenOf(
  listen: { ip?: string; port?: number } | number | undefined,
  port: number,
  setting: string,
): ListenAddress {
  if (typeof listen === "number") return { host: "127.0.0.1", port: listen, setting };
  return { host: listen?.ip ?? "127.0.0.1", port: listen?.port ?? port, setting };
}

function metricsOf({ prometheus = {} }: NonNullable<DeploymentKeys["plugin_attr"]>): Settings["metrics"] {
  if (prometheus.enable_export_server === false) return null;
  const address = listenOf(prometheus.export_addr, 9091, "plugin_attr.prometheus.export_addr");
  const uri = prometheus.export_uri ?? "/gw/prometheus/metrics";
  return { ...address, uri, ...(prometheus.export_addr === undefined && { optional: true }) };
}

function seriesOf({ prometheus = {} }: NonNullable<DeploymentKeys["plugin_attr"]>): SeriesBounds {
  const { series_limit: limit = SERIES_BOUNDS.limit, drop_labels: dropped = [] } = prometheus;
  return { limit, dropped };
}

function resolved(value: unknown, environment: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === "string") {
    return substituteEnvironment(value, environment, (name) => {
      throw new SettingsError(
        `the environment variable ${name} is not set, and the deployment settings need it`,
      );
    });
  }
  if (Array.isArray(value)) return value.map((item) => resolved(item, environment));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolved(item, environment)]));
}
