import type { Catalogue } from "../diagnostic.js";

/** Files, characters and environment variables, before the text is parsed as YAML or JSON. */
export const reading: Catalogue = {
  GW1006: {
    severity: "error",
    summary: "control character",
    message: "the control character {character} cannot stand in a configuration",
    help: "remove it; in YAML double quotes and in JSON it can be written as an escape",
    explain: `NUL bytes and other control characters are invisible in editors and mean different things to different readers. They usually
come from a binary file or a broken copy.`,
  },
  GW1007: {
    severity: "error",
    summary: "file too large",
    message: "{size} characters are too many for one source; the limit is {limit}",
    help: "split it into several files in a directory",
    explain: `10,000 routes with plugins need about two million characters. A file far beyond that is a mistake more often than a
configuration, and would hold the compiler for a long time.`,
  },
  GW1020: {
    severity: "error",
    summary: "environment variable that is not set",
    message: "the environment variable {name} is not set",
    help: "set it, or give a default: ${{{name}:=default}}",
    explain: `\`\${{NAME}}\` takes the value of an environment variable when the configuration is read. Without a value and without a
default there is nothing to put in its place, and an empty text would hide the mistake.

Settings that are only needed when the gateway runs (nodes of upstreams, keys) stay as they are in what is built, and are
resolved by the process that runs it.`,
  },
  GW1021: {
    severity: "error",
    summary: "malformed environment variable",
    message: '"{text}" is not a reference to an environment variable',
    help: "write ${{NAME}} or ${{NAME:=default}}; names are made of letters, digits and _",
    explain: `Between \`\${{\` and \`}}\` stands the name of an environment variable, and after \`:=\` a default, which holds no
brace. A header value that holds a variable of the request is written \`$name\` or \`\${name}\`, with single braces.`,
  },
  GW1022: {
    severity: "error",
    summary: "environment variables make two keys equal",
    message: '"{key}" becomes "{name}", which is there already',
    explain: `Environment variables may stand in keys. After they are replaced each key must still be there once only.`,
  },
  GW1023: {
    severity: "warning",
    summary: "empty file",
    message: "nothing is configured in this file",
    help: "leave it out, or write into it what was meant to be there",
    explain: `The file is empty, or holds comments only. A copy that was cut off, or a redirection in a shell that began before its program failed,
leaves such a file behind; taken without a word it would be a gateway that answers everything 404.`,
  },
  GW1024: {
    severity: "warning",
    summary: "number that loses zeros",
    message: "{written} is the number {value} here, not the text that it looks like",
    help: 'write "{written}", in quotes, or {value} where the number is meant',
    explain: `Where a text and a number are both possible, YAML takes \`1.10\` for the number 1.1 and \`0123\` for 123: a version sent in a header
loses its last digit, an id its first. In quotes it stays as it is.

\`\`\`yaml
headers:
  set: { X-Version: "1.10" }
\`\`\``,
  },
  GW1030: {
    severity: "error",
    summary: "file not found",
    message: "{path}: no such file or directory",
    explain: `The path that was given to the command does not exist. Paths are relative to the working directory.`,
  },
  GW1031: {
    severity: "error",
    summary: "file that cannot be read",
    message: "{path} cannot be read: {reason}",
    explain: `The system refused to open or read the file; the reason is the system's own. Check its owner and permissions.`,
  },
  GW1032: {
    severity: "error",
    summary: "file that is not UTF-8",
    message: "the bytes from here on are not UTF-8",
    help: "save the file as UTF-8",
    explain: `Configuration files are UTF-8. Another encoding (Latin-1, UTF-16) would put other characters into headers and bodies
than the ones the editor shows.`,
  },
  GW1033: {
    severity: "error",
    summary: "file name without a known ending",
    message: "{path} ends neither in .yaml, .yml nor .json",
    explain: `The ending decides how a file is read: \`.yaml\` and \`.yml\` as YAML, \`.json\` as strict JSON.`,
  },
  GW1034: {
    severity: "error",
    summary: "directory without configuration files",
    message: "{path} holds no .yaml, .yml or .json file",
    help: "files in subdirectories are not read; name each directory",
    explain: `A directory stands for the configuration files directly in it, in the order of their names. An empty one is more often a
wrong path than an empty configuration.`,
  },
  GW1035: {
    severity: "error",
    summary: "a build where a configuration is wanted",
    message: "{path} was written by `gwc build`: it is a build, not a configuration",
    help: "name the files it was made of; a build alone is served by `gwc run {path}`",
    explain: `A build holds modules, a plan and tables, made of configuration files. Check, change and build those; \`gwc run\` serves a build
when its directory is the only path.`,
  },
};
