import type { Path } from "../parse/source.js";
import { isObject } from "./json-values.js";

/** What a top-level field gives away, and what else has to stand below it. */
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

/** What only stands in texts that are neither YAML nor JSON, although YAML may read them as one long text. */
const TEXTS: readonly { pattern: RegExp; product: string }[] = [
  { pattern: /(?:^|\s)(?:server|http|events|location\s[^{]*|upstream\s+\S+)\s*\{/, product: "nginx" },
  { pattern: /^(?:global|defaults|frontend|backend|listen)\s/, product: "HAProxy" },
];

/** The product that a whole file was written for, and the field that tells; undefined for one of ours, or of nobody. */
export function foreignProduct(value: unknown): { product: string; at: Path } | undefined {
  if (typeof value === "string") {
    const product = TEXTS.find(({ pattern }) => pattern.test(value))?.product;
    return product === undefined ? undefined : { product, at: [] };
  }
  if (!isObject(value)) return undefined;
  const found = FIELDS.find(({ field, below }) => {
    const part = value[field];
    return part !== undefined && (below === undefined || (isObject(part) && part[below] !== undefined));
  });
  return found && { product: found.product, at: [found.field] };
}
