import type { Exchange, PluginRuntime, Resource } from "gwc/plugin";

export interface CalloutSettings {
  /** Hash of everything that calls and cache depend on. */
  key: string;
  url: string;
  timeoutMs: number;
  cacheSize: number;
  cacheMs: number;
  headers: readonly { name: string; member: string }[];
  /** No answer: 503. */
  closed: boolean;
  subject: (x: Exchange) => string | undefined;
}

export interface Callout {
  readonly resource: Resource;
  /** In the access phase: true when the request goes no further. */
  rejects(x: Exchange, body: string, contentType: string): Promise<boolean>;
}

export function callout(settings: CalloutSettings): Callout;
export const runtime: PluginRuntime;
