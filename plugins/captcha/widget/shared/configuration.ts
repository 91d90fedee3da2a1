import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { ApiError } from "../../service/protocol.js";
import type { Language } from "./language.js";

export type Theme = CaptchaSiteKey["theme"];

/** Data of the service in a frame's page, in `<script type="application/json" id="configuration">`. */
export interface FrameConfiguration {
  language: Language;
  theme: Theme;
  /** Public: the page around the frame contains it, too. */
  siteKey: string;
  /** Pages that may talk to the frame, with subdomains; null: all (test keys, and frames with a fault). */
  hosts: readonly string[] | null;
  /** Test key: the frame says so (H10). */
  test: boolean;
  /** Box: shown in place of the shield. */
  operator?: CaptchaSiteKey["operator"];
  /** Set if the frame only reports this fault. */
  fault?: ApiError["error"];
  /** Box: the loader's name of the widget, which its init message must repeat. */
  id?: string;
  /** Addresses of the workers' scripts: SHA-256, and Argon2id. */
  worker?: string;
  memoryWorker?: string;
  /** Task: the session of the one-time reference. */
  session?: string;
}

/** Page that may talk to the frame (A67). Opaque origins never may: they have no host. */
export function isOwnHost(origin: string, hosts: FrameConfiguration["hosts"]): boolean {
  const named = /^https?:\/\/([^/:[\]]+|\[[^\]]+\])(?::\d+)?$/.exec(origin)?.[1];
  if (named === undefined) return false;
  return hosts === null || isWithin(named, hosts);
}

/** A listed host includes its subdomains. */
export function isWithin(hostname: string, hosts: readonly string[]): boolean {
  const name = plain(hostname);
  return hosts.some((host) => name === plain(host) || name.endsWith(`.${plain(host)}`));
}

/** Brackets of IPv6 and a trailing dot do not matter. */
const plain = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, "");
