import type { Catalogue } from "../diagnostic.js";

const LIST = `\`\`\`yaml
plugins:
  - gwc-plugin-hello      # a package, looked up from the folder of this file
  - ./plugins/audit       # a folder with a package.json
\`\`\``;
const AUTHOR = "This is a fault of the package, not of the configuration: tell its author.";

/**
 * GW7xxx: packages of plugins. Diagnostics of the plugins themselves have codes of their own, such as
 * HELLO-001.
 */
export const packages: Catalogue = {
  GW7001: {
    severity: "error",
    summary: "a package of plugins that is not there",
    message: 'there is no package "{package}"',
    explain: `A configuration file names the packages whose plugins it uses. A name is looked up as Node does, in \`node_modules\` of the
folder that the file is in and of those above; what begins with \`./\` or \`../\` is a folder seen from there.

${LIST}`,
  },
  GW7002: {
    severity: "error",
    summary: "a package that is no plugin",
    message: '"{package}" is no plugin: {reason}',
    help: "see docs/plugin-guide.md",
    explain: `The package has a \`package.json\` whose \`main\` or \`exports\` names an ES module, the default export of that module is made by
\`definePlugin\` of \`gwc/plugin\`, and \`schema.json\` and a template for each phase stand beside the \`package.json\`. What it declares is
checked before any of its functions is called.`,
  },
  GW7003: {
    severity: "error",
    summary: "a package of plugins that cannot be imported",
    message: '"{package}" cannot be imported: {reason}',
    help: "install what it depends on; if that is there, tell its author",
    explain:
      "The module that the package names threw when it was loaded, or imports something that is not installed. The other plugins are not affected.",
  },
  GW7004: {
    severity: "error",
    summary: "a plugin for another version of gwc",
    message:
      'the plugin "{plugin}" ("{package}" {version}) is made for interface {range} of gwc; this one has {abi}',
    explain: `Plugins and gwc agree on a numbered interface. A package names the lowest and the highest number that it is made for, and one
that does not include the number of this gwc is refused before any of it is used.`,
  },
  GW7005: {
    severity: "error",
    summary: "a name that two plugins would have",
    message: '"{package}" brings {kind} "{name}": {owner}',
    help: "one of the two packages has to go",
    explain: `Configurations name plugins by one word, and generated modules name what plugins do at run time. Neither could tell two of one
name apart, so nothing wins silently.`,
  },
  GW7006: {
    severity: "error",
    summary: "a package that is named twice",
    message: '"{package}" is named already',
    help: "remove one of the two lines",
    explain: `Packages are loaded once, and what one configuration file names is there for all. Naming a package again changes nothing, and
hides that the first line is enough.`,
  },
  GW7007: {
    severity: "error",
    summary: "a schema of a package that cannot be used",
    message: '{file} of "{package}": {reason}',
    explain: `The settings of a plugin are checked, explained and completed by its schema (JSON Schema, draft-07, the words that gwc's own schemas
use). References lead to \`#/definitions/…\` of the same file or to a part that gwc shares, such as \`gwc:/parts/header-name.json\`; nothing
else stays where it is when the package is installed elsewhere. ${AUTHOR}`,
  },
  GW7008: {
    severity: "error",
    summary: "a template of a package that cannot be used",
    message: '{file} of "{package}": {reason}',
    explain: `A template prints values through the printers alone (\`lit\`, \`ident\`, \`note\`, \`expr\`, \`list\`), asks for fields of its view with
\`if\` and \`each\`, and has at most 25 lines. ${AUTHOR}`,
  },
  GW7009: {
    severity: "error",
    summary: "a package whose runtime part cannot become one file",
    message: 'the runtime part of "{package}" cannot be made one file: {reason}',
    explain: `What a plugin does at run time travels as one file with everything that it imports, so that a build needs no \`node_modules\` and
every worker runs what was checked. Native addons, computed imports and files beside a module cannot be in it; of gwc it takes types
only. ${AUTHOR}`,
  },
  GW7010: {
    severity: "error",
    summary: "a plugin of a package that fails",
    message: 'the plugin "{plugin}" of "{package}" fails in {step}: {reason}',
    help: "tell its author; without it the rest compiles",
    explain: `The plugin's own code threw while these settings were planned, or gave something that is no plan. Nothing of this place is
generated, and the other plugins are not affected. ${AUTHOR}`,
  },
  GW7011: {
    severity: "error",
    summary: "a list of packages that has changed since the start",
    message: "{what}",
    help: "restart the gateway: it loads packages at its start",
    explain: `The code of a package stays in a process once it is loaded, and workers have loaded it too. A gateway that runs therefore goes on
with the packages of its start: a reload that names others, or finds other files in one, is refused, and everything stays as it was.`,
  },
  GW7012: {
    severity: "error",
    summary: "a plugin of a package that does not end",
    message: 'the plugin "{plugin}" of "{package}" does not end {step} within {seconds} s',
    help: "tell its author; without it the rest compiles",
    explain: `Code of the plugin, or a pattern of its schema, went on for longer than anything it may do takes, and was ended. Nothing of this
place is generated, and the other plugins are not affected. After two such calls the plugin's others have little time for a minute. ${AUTHOR}`,
  },
  GW7013: {
    severity: "error",
    summary: "a package of plugins whose import does not end",
    message: 'the import of "{package}" does not end within {seconds} s',
    help: "tell its author; without it the rest compiles",
    explain: `Modules run when they are imported, and nothing but the end of its thread ends one that loops. A package is therefore imported in a
thread of its own first, which has some seconds; one that is still at it then is not imported at all. The other plugins are not
affected. ${AUTHOR}`,
  },
  GW7014: {
    severity: "error",
    summary: "a package that brings what packages do not",
    message: '"{package}" brings "{what}", which a package cannot: {reason}',
    help: "see docs/plugin-guide.md for what a package can bring",
    explain: `Plugins of gwc itself contribute a few things more than those of packages: what launcher and control run, whose failure would stop
more than the routes of one plugin. ${AUTHOR}`,
  },
};
