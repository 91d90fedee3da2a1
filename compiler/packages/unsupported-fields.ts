/**
 * Fields that only plugins of gwc may use, each with the reason (docs/decisions/0014-what-packages-bring.md):
 * fields of a definition, of contributions and of commands.
 */
export const UNSUPPORTED_FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["service", "services", "process", "processes", "listener"].map((field) => [
      field,
      "control and the launcher would run its code, and nothing may fail in them; run a service beside the gateway and ask it from the runtime part",
    ]),
  ),
  ...Object.fromEntries(
    ["sections", "section", "deployment"].map((field) => [
      field,
      "sections are read by the services of gwc alone; settings for all routes belong to metadata.json",
    ]),
  ),
  ...Object.fromEntries(
    ["kinds", "resources", "table"].map((field) => [
      field,
      "resources of kinds of their own are told to services of gwc alone; what routes share belongs to metadata.json or a plugin_config",
    ]),
  ),
  ...Object.fromEntries(
    ["commands", "cli"].map((field) => [
      field,
      'gwc loads packages only where a configuration is read; "bin" of its package.json makes a command of its own',
    ]),
  ),
  formats:
    "schemas of packages describe texts by pattern and x-pattern-description; what they cannot say, plan() reports",
  moduleUrl: "its folder is that of its package.json",
  types: 'they lie beside the module of "runtime"',
  package: "gwc itself knows where it came from",
};
