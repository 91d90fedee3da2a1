import type { Catalogue } from "../../model/diagnostic.js";

const LIST = `\`\`\`yaml
plugins:
  - gwc-plugin-hello      # a package, looked up from the folder of this file
  - ./plugins/audit       # a folder with a package.json
\`\`\``;
const AUTHOR = "This is a bug in the package, not a mistake in the configuration: report it to its author.";

/** GW7xxx: packages of plugins. Plugins have codes of their own, such as HELLO-001. */
export const packages: Catalogue = {
  GW7001: {
    severity: "error",
    summary: "a package of plugins that does not exist",
    message: 'there is no package "{package}"',
    explain: `A configuration file lists the packages whose plugins it uses. gwc looks up a name as Node does, in \`node_modules\` of the folder
of the file and of its parents. A path that begins with \`./\` or \`../\` is relative to the folder of the file.

${LIST}`,
  },
  GW7002: {
    severity: "error",
    summary: "a package that is not a plugin",
    message: '"{package}" is not a plugin: {reason}',
    help: "see docs/plugin-guide.md",
    explain: `A plugin package needs a \`package.json\` whose \`main\` or \`exports\` names an ES module, a default export made by \`definePlugin\` of
\`gwc/plugin\`, and, next to \`package.json\`, a \`schema.json\` and a template for each phase. gwc checks the definition before it calls any
function of the plugin.`,
  },
  GW7003: {
    severity: "error",
    summary: "a package of plugins that cannot be imported",
    message: '"{package}" cannot be imported: {reason}',
    help: "install its dependencies; if they are installed, report it to the author of the package",
    explain:
      "The main module of the package threw an error when it was loaded, or imports something that is not installed. Other plugins are not affected.",
  },
  GW7004: {
    severity: "error",
    summary: "a plugin for another version of gwc",
    message:
      'the plugin "{plugin}" ("{package}" {version}) needs interface {range} of gwc; this version has {abi}',
    explain: `Plugins and gwc agree on a numbered interface. A package names the lowest and the highest number that it supports. If this version
of gwc is not in that range, it rejects the package before it uses any part of it.`,
  },
  GW7005: {
    severity: "error",
    summary: "a name that two plugins use",
    message: '"{package}" adds {kind} "{name}": {owner}',
    help: "remove one of the two packages",
    explain: `Configurations and generated modules refer to plugins and their exports by name, so each name must be unique. Neither package
takes precedence.`,
  },
  GW7006: {
    severity: "error",
    summary: "a package that is listed twice",
    message: '"{package}" is listed already',
    help: "remove one of the two lines",
    explain: `A package is loaded once and serves all configuration files, so listing it again has no effect.`,
  },
  GW7007: {
    severity: "error",
    summary: "a schema of a package that cannot be used",
    message: '{file} of "{package}": {reason}',
    explain: `A schema validates, documents and completes the settings of a plugin. It is JSON Schema draft-07, with the keywords that gwc's own
schemas use. A reference leads to \`#/definitions/…\` of the same file, or to a part that gwc shares, such as \`gwc:/parts/header-name.json\`;
other references would break when the package is installed elsewhere. ${AUTHOR}`,
  },
  GW7008: {
    severity: "error",
    summary: "a template of a package that cannot be used",
    message: '{file} of "{package}": {reason}',
    explain: `A template prints values only through the printers (\`lit\`, \`ident\`, \`note\`, \`expr\`, \`list\`), tests fields of its view with
\`if\` and \`each\`, and has at most 25 lines. ${AUTHOR}`,
  },
  GW7009: {
    severity: "error",
    summary: "a package whose runtime code cannot be bundled",
    message: 'the runtime code of "{package}" cannot be bundled into one file: {reason}',
    explain: `The runtime code of a plugin is bundled into one file with all its imports, so that a build needs no \`node_modules\` and every
worker runs the code that was checked. The bundle cannot contain native addons, computed imports or data files, and may import only types
and \`gwc/logger/runtime\` from gwc. ${AUTHOR}`,
  },
  GW7010: {
    severity: "error",
    summary: "a plugin of a package that fails",
    message: 'the plugin "{plugin}" of "{package}" fails in {step}: {reason}',
    help: "report it to its author, and remove the plugin to compile the rest",
    explain: `The code of the plugin threw an error while it planned these settings, or returned something that is not a plan. A plan also
must not contain a secret of the settings in plain text, since plans, modules and spools are not secret: \`context.secret\` returns a
reference in its place. No code is generated for these settings, and other plugins are not affected. ${AUTHOR}`,
  },
  GW7011: {
    severity: "error",
    summary: "packages that changed since the start",
    message: "{what}",
    help: "restart the gateway: it loads packages only at its start",
    explain: `A process cannot unload the code of a package, and workers have loaded it too. A running gateway therefore keeps the packages of
its start. It rejects a reload that lists other packages, or finds changed files in one, and keeps its configuration.`,
  },
  GW7012: {
    severity: "error",
    summary: "a plugin of a package that does not return",
    message: 'the plugin "{plugin}" of "{package}" does not finish {step} within {seconds} s',
    help: "report it to its author, and remove the plugin to compile the rest",
    explain: `Code of the plugin, or a pattern in its schema, exceeded the time limit and was terminated. No code is generated for these settings,
and other plugins are not affected. After two such calls, further calls of this plugin have a much shorter limit for a minute. ${AUTHOR}`,
  },
  GW7013: {
    severity: "error",
    summary: "a package of plugins whose import does not finish",
    message: 'the import of "{package}" does not finish within {seconds} s',
    help: "report it to its author, and remove the plugin to compile the rest",
    explain: `Modules run when they are imported, and a module that loops can be stopped only by terminating its thread. gwc therefore imports a
package in a separate thread first. If that import does not finish in time, the package is not imported at all. Other plugins are not
affected. ${AUTHOR}`,
  },
  GW7014: {
    severity: "error",
    summary: "a package that adds what packages cannot add",
    message: '"{package}" adds "{what}", which a package cannot add: {reason}',
    help: "see docs/plugin-guide.md for what a package can add",
    explain: `Only plugins of gwc itself may contribute code that runs in the launcher and in control, because a failure there affects more than
the routes of one plugin. ${AUTHOR}`,
  },
};
