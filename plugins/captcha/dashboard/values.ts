import { idOf, type Resource } from "../../../runtime/dashboard/plugin-kit";

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

/** Epoch ms; undefined if the API key does not expire. */
function millisecondsOf(expires: unknown): number | undefined {
  if (typeof expires === "number") return expires * 1_000;
  const parsed = typeof expires === "string" ? Date.parse(expires) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

const two = (part: number) => String(part).padStart(2, "0");

/** Text for the browser's field for date and time: in the user's time zone, which it does not contain. */
export function pickedOf(expires: unknown): string {
  const at = millisecondsOf(expires);
  if (at === undefined) return "";
  const moment = new Date(at);
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join("-");
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** RFC 3339 in UTC; undefined if the pick is incomplete. */
export function momentOf(picked: string): string | undefined {
  const at = new Date(picked);
  return picked === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace(".000Z", "Z");
}
