/** Only plugins of gwc may use these, for the given reason (docs/decisions/0014-what-packages-bring.md). */
export const UNSUPPORTED_FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["service", "services", "process", "processes", "listener"].map((field) => [
      field,
      "its code would run in control and the launcher, where it must not fail; run a separate service and call it from the runtime code",
    ]),
  ),
  ...Object.fromEntries(
    ["sections", "section", "deployment"].map((field) => [
      field,
      "only services of gwc read sections; settings for all routes belong in metadata.json",
    ]),
  ),
  ...Object.fromEntries(
    ["kinds", "resources", "table"].map((field) => [
      field,
      "only services of gwc receive resources of own kinds; shared settings of routes belong in metadata.json or a plugin_config",
    ]),
  ),
  ...Object.fromEntries(
    ["commands", "cli"].map((field) => [
      field,
      'gwc loads packages only where a configuration is read; "bin" of its package.json makes a command of its own',
    ]),
  ),
  formats:
    "schemas of packages describe texts by pattern and x-pattern-description; plan() can report other faults",
  defaultMasks:
    'gwc is built with the defaults of loggers; "credentials" masks names while the plugin is used',
  moduleUrl: "its folder is that of its package.json",
  types: 'they lie beside the module of "runtime"',
  package: "gwc sets it",
};
