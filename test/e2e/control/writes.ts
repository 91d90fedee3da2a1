import { UPSTREAM } from "./admin.js";

/** Rule, body of a route that breaks it, and the expected `error_msg`. */
export type Row = [rule: string, body: unknown, errorMessage: string];

export const route = (more: object) => ({ uri: "/a", upstream: UPSTREAM, ...more });
export const upstream = (more: object) => route({ upstream: { ...UPSTREAM, ...more } });
export const plugin = (name: string, settings: unknown) => route({ plugins: { [name]: settings } });
export const rewritten = (settings: unknown) => plugin("response-rewrite", settings);
export const proxied = (settings: unknown) => plugin("proxy-rewrite", settings);
export const logged = (more: object) => plugin("syslog", { host: "127.0.0.1", port: 514, ...more });

export const INVALID = "invalid configuration: ";
export const VARS = "failed to validate the 'vars' expression: ";
export const of = (name: string, words: string) =>
  `failed to check the configuration of plugin ${name} err: ${words}`;
