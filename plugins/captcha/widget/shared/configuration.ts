import type { CaptchaSiteKey } from "../../captcha-table.js";
import type { ApiError } from "../../service/protocol.js";
import type { Language } from "./language.js";

export type Theme = CaptchaSiteKey["theme"];

/** What the service writes into a frame's page, in `<script type="application/json" id="configuration">`. */
export interface FrameConfiguration {
  language: Language;
  theme: Theme;
  /** Public: it stands in the page around the frame, too. */
  siteKey: string;
  /** Names of hosts whose pages may talk to the frame, subdomains included; null: all (test keys, and frames that only tell a fault). */
  hosts: readonly string[] | null;
  /** A test key: the frame says so (H10). */
  test: boolean;
  /** Box: who is named in place of the shield. */
  operator?: CaptchaSiteKey["operator"];
  /** The frame has nothing to do but to tell this. */
  fault?: ApiError["error"];
  /** Box: the loader's name of the widget, which its init message must repeat. */
  id?: string;
  /** Addresses of the workers' scripts: SHA-256, and Argon2id. */
  worker?: string;
  memoryWorker?: string;
  /** Task: the session that the one-time reference stood for. */
  session?: string;
}

/** Whether a page of `origin` may talk to the frame (A67). Opaque origins never: they have no host. */
export function isOwnHost(origin: string, hosts: FrameConfiguration["hosts"]): boolean {
  const named = /^https?:\/\/([^/:[\]]+|\[[^\]]+\])(?::\d+)?$/.exec(origin)?.[1];
  if (named === undefined) return false;
  const name = plain(named);
  return hosts === null || hosts.some((host) => name === plain(host) || name.endsWith(`.${plain(host)}`));
}

/** Brackets of IPv6 and the dot at the end of a full name are the same host in either spelling. */
const plain = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, "");
