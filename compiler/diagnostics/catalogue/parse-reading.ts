import type { Catalogue } from "../../model/diagnostic.js";

/** Reading of files, characters and environment variables, before YAML or JSON is parsed. */
export const reading: Catalogue = {
  GW1006: {
    severity: "error",
    summary: "control character",
    message: "a configuration cannot contain the control character {character}",
    help: "remove it, or write it as an escape in JSON or in double quotes in YAML",
    explain: `NUL bytes and other control characters are invisible in editors, and programs interpret them differently. They usually
come from a binary file or a damaged copy.`,
  },
  GW1007: {
    severity: "error",
    summary: "file too large",
    message: "{size} characters are too many for one source; the limit is {limit}",
    help: "split it into several files in a directory",
    explain: `10,000 routes with plugins need about two million characters. A much larger file is more often a mistake than a
configuration, and would block the compiler for a long time.`,
  },
  GW1020: {
    severity: "error",
    summary: "environment variable that is not set",
    message: "the environment variable {name} is not set",
    help: "set it, or give a default: ${{{name}:=default}}",
    explain: `\`\${{NAME}}\` is replaced by the value of an environment variable when the configuration is read. If it has neither a value
nor a default, an empty text would hide the mistake.

Settings that are needed only when the gateway runs (nodes of upstreams, keys) stay references in a build, and the process that
runs the build resolves them.`,
  },
  GW1021: {
    severity: "error",
    summary: "malformed environment variable",
    message: '"{text}" is not a reference to an environment variable',
    help: "write ${{NAME}} or ${{NAME:=default}}; names consist of letters, digits and _",
    explain: `A reference contains the name of an environment variable between \`\${{\` and \`}}\`, and after \`:=\` a default without
braces. For a variable of the request in a header value, write \`$name\` or \`\${name}\`, with single braces.`,
  },
  GW1022: {
    severity: "error",
    summary: "environment variables make two keys equal",
    message: '"{key}" becomes "{name}", which exists already',
    explain: `Keys may contain environment variables. After they are replaced, each key must still be unique.`,
  },
  GW1023: {
    severity: "warning",
    summary: "empty file",
    message: "this file contains no configuration",
    help: "remove the file, or restore its content",
    explain: `The file is empty or contains only comments. An interrupted copy, or a shell redirection of a program that failed, leaves such a
file. Without this warning the gateway would silently reject every request with 404.`,
  },
  GW1024: {
    severity: "warning",
    summary: "number that loses zeros",
    message: "{written} is read as the number {value}, not as text",
    help: 'write "{written}" in quotes for the text, or {value} for the number',
    explain: `Where both a text and a number are valid, YAML reads \`1.10\` as the number 1.1 and \`0123\` as 123: a version in a header loses its
last digit, and an id its first. In quotes it stays unchanged.

\`\`\`yaml
headers:
  set: { X-Version: "1.10" }
\`\`\``,
  },
  GW1030: {
    severity: "error",
    summary: "file not found",
    message: "{path}: no such file or directory",
    explain: `The path in the command line does not exist. Paths are relative to the working directory.`,
  },
  GW1031: {
    severity: "error",
    summary: "file that cannot be read",
    message: "{path} cannot be read: {reason}",
    explain: `The operating system returned this error when gwc opened or read the file. Check its owner and permissions.`,
  },
  GW1032: {
    severity: "error",
    summary: "file that is not UTF-8",
    message: "the bytes from here on are not UTF-8",
    help: "save the file as UTF-8",
    explain: `Configuration files are UTF-8. With another encoding (Latin-1, UTF-16), headers and bodies would contain other characters
than the editor shows.`,
  },
  GW1033: {
    severity: "error",
    summary: "file name with an unknown extension",
    message: "{path} does not end in .yaml, .yml or .json",
    explain: `The extension selects the parser: \`.yaml\` and \`.yml\` are YAML, \`.json\` is strict JSON.`,
  },
  GW1034: {
    severity: "error",
    summary: "directory without configuration files",
    message: "{path} contains no .yaml, .yml or .json file",
    help: "name each subdirectory: files in subdirectories are not read",
    explain: `gwc reads the configuration files of a directory in the order of their names. A directory without such files is more often a
wrong path than an empty configuration.`,
  },
  GW1035: {
    severity: "error",
    summary: "a build in place of a configuration",
    message: "{path} is a build of `gwc build`, not a configuration",
    help: "name the configuration files of the build, or run the build alone: `gwc run {path}`",
    explain: `A build contains modules, a plan and tables that were compiled from configuration files. Check, change and build those files.
\`gwc run\` serves a build if its directory is the only path.`,
  },
};
