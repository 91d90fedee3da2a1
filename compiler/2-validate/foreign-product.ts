import { isObject } from "../../runtime/abi/json-object.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { Path, SourceText } from "../model/source.js";

/** Top-level fields, with the field that must be below them. */
const FIELDS: readonly { field: string; below?: string; product: string }[] = [
  { field: "_format_version", product: "Kong" },
  { field: "entryPoints", product: "Traefik" },
  { field: "http", below: "routers", product: "Traefik" },
  { field: "http", below: "middlewares", product: "Traefik" },
  { field: "static_resources", product: "Envoy" },
  { field: "dynamic_resources", product: "Envoy" },
  { field: "apps", below: "http", product: "Caddy" },
  { field: "apiVersion", product: "Kubernetes" },
  { field: "apisix", product: "APISIX's own settings (config.yaml)" },
];

/** Texts that are neither YAML nor JSON, although YAML may read them as one long text. */
const TEXTS: readonly { pattern: RegExp; product: string }[] = [
  { pattern: /(?:^|\s)(?:server|http|events|location\s[^{]*|upstream\s+\S+)\s*\{/, product: "nginx" },
  { pattern: /^(?:global|defaults|frontend|backend|listen)\s/, product: "HAProxy" },
];

/** Fields of services and routes that only Kong has. */
const OF_KONG: readonly string[] = ["url", "host", "protocol", "port", "paths", "strip_path"];

export interface ForeignFile {
  product: string;
  at: Path;
  /** Replaces the help of the catalogue. */
  help?: string;
}

/** @returns undefined for a file of gwc or of no known product */
export function foreignProduct(value: unknown): ForeignFile | undefined {
  if (typeof value === "string") {
    const product = TEXTS.find(({ pattern }) => pattern.test(value))?.product;
    return product === undefined ? undefined : { product, at: [] };
  }
  if (!isObject(value)) return undefined;
  const found = FIELDS.find(({ field, below }) => {
    const part = value[field];
    return part !== undefined && (below === undefined || (isObject(part) && part[below] !== undefined));
  });
  return found ? { product: found.product, at: [found.field] } : nestedFile(value);
}

/** APISIX (ADC) and Kong hold routes inside of services, and credentials inside of consumers. */
function nestedFile(value: Readonly<Record<string, unknown>>): ForeignFile | undefined {
  const inService = placeIn(value, "services", "routes");
  const at =
    inService ??
    placeIn(value, "consumers", "credentials") ??
    placeIn(value, "ssls", "certificates") ??
    keyedByPlugin(value);
  if (at === undefined) return undefined;
  const [list, index] = at;
  const service = (value[String(list)] as readonly Readonly<Record<string, unknown>>[])[Number(index)] ?? {};
  const routes = inService === undefined ? [] : (service["routes"] as readonly unknown[]);
  const isKong = [service, ...routes].some(
    (one) => isObject(one) && OF_KONG.some((name) => one[name] !== undefined),
  );
  if (isKong) return { product: "Kong", at };
  return {
    product: "ADC (APISIX Declarative CLI)",
    at,
    help: '"From ADC" in docs/migration.md shows what each of its lists becomes',
  };
}

/** Object by plugin names in place of a list, as `adc dump` writes it. A rule without its list does not count. */
function keyedByPlugin(value: Readonly<Record<string, unknown>>): Path | undefined {
  const name = ["global_rules", "plugin_metadata"].find((field) => {
    const part = value[field];
    if (!isObject(part) || part["plugins"] !== undefined) return false;
    const settings = Object.values(part);
    return settings.length > 0 && settings.every(isObject);
  });
  return name === undefined ? undefined : [name];
}

function placeIn(value: Readonly<Record<string, unknown>>, list: string, field: string): Path | undefined {
  const items = value[list];
  if (!Array.isArray(items)) return undefined;
  const index = items.findIndex((item: unknown) => isObject(item) && Array.isArray(item[field]));
  return index < 0 ? undefined : [list, index, field];
}

/** APISIX does not read a standalone file without this last line. */
const END = /^#END[ \t\r]*$/;

/** Notes that the resources are read, and that the line is a comment. */
export function standaloneDiagnostics({ name, text, format }: SourceText): Diagnostic[] {
  if (format !== "yaml" || !text.includes("#END")) return [];
  const lines = text.split("\n");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (!END.test(lines[last] ?? "")) return [];
  const line = last + 1;
  return [diagnostic("GW3073", { file: name, start: { line, column: 1 }, end: { line, column: 5 } })];
}
