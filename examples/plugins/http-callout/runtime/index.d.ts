import type { Exchange, PluginRuntime, SharedResource } from "gwc/plugin";

export interface CalloutSettings {
  /** Hash of all settings on which calls and the cache depend. */
  key: string;
  url: string;
  timeoutMs: number;
  cacheSize: number;
  cacheMs: number;
  headers: readonly { name: string; member: string }[];
  /** True to reply 503 if the look-up fails. */
  closed: boolean;
  subject: (x: Exchange) => string | undefined;
}

export interface Callout {
  readonly resource: SharedResource;
  /** Looks up the subject in the access phase. @returns true if it sent a local reply */
  rejects(x: Exchange, body: string, contentType: string): Promise<boolean>;
}

export function callout(settings: CalloutSettings): Callout;
export const runtime: PluginRuntime;
