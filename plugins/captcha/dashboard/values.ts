import { idOf, type Resource } from "../../../runtime/dashboard/plugin-kit";
import { millisecondsOf } from "./moments";

export interface Owned {
  customer: Resource;
  siteKeys: Resource[];
  apiKeys: Resource[];
}

const text = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

export const ownerOf = ({ value }: Resource): string => text(value["customer"]);
export const hostsOf = ({ value }: Resource): string[] =>
  Array.isArray(value["hostnames"]) ? value["hostnames"].map(text) : [];
export const modeOf = ({ value }: Resource): string => text(value["challenge_mode"] ?? "adaptive");
export const thresholdOf = ({ value }: Resource): number => Number(value["threshold"] ?? 0.5);
export const isEnabled = ({ value }: Resource): boolean => value["enabled"] !== false;

export const expiryOf = ({ value: { expires } }: Resource): number | undefined => millisecondsOf(expires);

/** "expiring": the backend needs another key within days. */
export type KeyState = "live" | "expiring" | "revoked" | "expired";

/** 14 days, as for certificates. */
const SOON_MS = 14 * 86_400_000;

export function stateOf(apiKey: Resource, now: number): KeyState {
  if (!isEnabled(apiKey)) return "revoked";
  const left = (expiryOf(apiKey) ?? Number.POSITIVE_INFINITY) - now;
  if (left <= 0) return "expired";
  return left <= SOON_MS ? "expiring" : "live";
}

export const isGood = (state: KeyState): boolean => state === "live" || state === "expiring";

/** Epoch seconds; undefined for a resource from a file. */
export const madeAt = ({ value: { create_time: made } }: Resource): number | undefined =>
  typeof made === "number" ? made : undefined;

/** Search: every word must be in an id or a host. */
export function owned(
  customers: readonly Resource[],
  siteKeys: readonly Resource[],
  apiKeys: readonly Resource[],
  search: string,
): Owned[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const [siteKeysOf, apiKeysOf] = [byOwner(siteKeys), byOwner(apiKeys)];
  return customers
    .map((customer): Owned => {
      const id = idOf(customer);
      return { customer, siteKeys: siteKeysOf.get(id) ?? [], apiKeys: apiKeysOf.get(id) ?? [] };
    })
    .filter((one) => {
      const said = saidBy(one);
      return words.every((word) => said.includes(word));
    });
}

const saidBy = ({ customer, siteKeys, apiKeys }: Owned): string =>
  [customer, ...siteKeys, ...apiKeys]
    .flatMap((resource) => [idOf(resource), text(resource.value["desc"]), ...hostsOf(resource)])
    .join("\n")
    .toLowerCase();

function byOwner(resources: readonly Resource[]): Map<string, Resource[]> {
  const found = new Map<string, Resource[]>();
  for (const resource of resources) {
    const owner = ownerOf(resource);
    const others = found.get(owner);
    if (others) others.push(resource);
    else found.set(owner, [resource]);
  }
  return found;
}
