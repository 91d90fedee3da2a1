/** Kinds of resources that every gateway has, as they are called in files, admin paths and messages. */
export const OWN_KINDS = [
  "routes",
  "services",
  "upstreams",
  "plugin_configs",
  "plugin_metadata",
  "global_rules",
  "consumers",
  "ssls",
] as const;
export type OwnKind = (typeof OWN_KINDS)[number];
