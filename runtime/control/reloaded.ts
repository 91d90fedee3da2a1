import type { Diagnostic } from "../../compiler/model/diagnostic.js";
import type { ResourceName } from "../../compiler/model/resource.js";
import type { CompiledTexts } from "../../compiler/thread/inputs-hash.js";
import { SettingsError } from "../process/contribution.js";
import { pathOf } from "./admin/kinds.js";
import { type Counted, reasonIn } from "./change.js";
import type { Unpublished } from "./publication.js";
import type { StaticResourceDelta } from "./resource-catalog.js";
import { type Settings, settingsOf } from "./settings.js";
import type { ChangeOrigin } from "./store/store.js";

export interface ReloadOutput extends Partial<CompiledTexts> {
  /** Diagnostics as `gwc check` prints them; "" if there are none. */
  report: string;
  diagnostics: Diagnostic[];
}

export type Reloaded = Applied & ReloadOutput;

export type Applied = Accepted | NotApplied;

interface Accepted {
  ok: true;
  reason: "";
  /** Settings used to check its certificates, for the gateway to apply. */
  settings: Settings;
  /** Absent if the store was not written, since it is up to date. */
  store?: "committed";
}

interface NotApplied {
  ok: false;
  reason: string;
  /** Absent if something else rejected it. */
  store?: "failed";
}

export type ReloadedSettings = { settings: Settings } | { fault: string };

/** Derives the settings of a reload, with the overrides of an embedding program. */
export function reloadedSettings(
  deployment: unknown,
  { origin, environment, adjusted = (read) => read }: SettingsParts,
): ReloadedSettings {
  try {
    return { settings: adjusted(settingsOf(deployment, origin.directory, environment)) };
  } catch (error) {
    if (error instanceof SettingsError) return { fault: error.message };
    throw error;
  }
}

interface SettingsParts {
  origin: { directory: string };
  environment: Readonly<Record<string, string | undefined>>;
  adjusted?: (read: Settings) => Settings;
}

export interface Adoption extends ResourceName {
  origin: ChangeOrigin;
}

/** "absent": the store has no such resource. */
export type Adopted = Reloaded | "absent";

export function rejectedReload(reason: string): Reloaded {
  return { ...notApplied(reason), report: "", diagnostics: [] };
}

export const applied = (settings: Settings, store?: "committed"): Accepted => ({
  ...{ ok: true, reason: "", settings },
  ...(store && { store }),
});

export const notApplied = (reason: string): NotApplied => ({ ok: false, reason });

export function notPublished(unpublished: Unpublished): Applied {
  const refusal = notApplied(reasonIn(unpublished));
  return "store" in unpublished ? { ...refusal, store: "failed" } : refusal;
}

export function countedReload({ ok, reason, store }: Applied): Counted {
  if (ok) return { outcome: "accepted", ...(store === "committed" && { stored: true }) };
  return store === "failed" ? { outcome: "failed", reason } : { outcome: "refused" };
}

/** Returns the reason why files cannot take over resources that they do not define, or undefined. */
export function undefinedIn(
  { names }: StaticResourceDelta,
  adopted: readonly ResourceName[],
): string | undefined {
  for (const { kind, id } of adopted) {
    if (!names.includes(`${kind}/${id}`)) return `no configuration file defines ${pathOf(kind)}/${id}`;
  }
  return undefined;
}
