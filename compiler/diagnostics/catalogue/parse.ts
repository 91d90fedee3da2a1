import type { Catalogue } from "../../model/diagnostic.js";

export const parse: Catalogue = {
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
  GW1001: {
    severity: "error",
    summary: "YAML syntax",
    message: "not valid YAML: {reason}",
    explain: `The text is not valid YAML, so the rest of the file is not checked.

\`\`\`yaml
routes:
  - id: a
   uri: /a     # one space is missing
\`\`\`

Fix the line that is shown. If it looks right, the mistake is usually in the previous line: a missing quote, bracket or colon.`,
  },
  GW1002: {
    severity: "error",
    summary: "JSON syntax",
    message: "not valid JSON: {reason}",
    explain: `A file named \`.json\` and the body of an admin request are read as JSON (RFC 8259), which has no single quotes, no
unquoted keys, no \`NaN\` and no leading zeros. Rename the file to \`.yaml\` for a less strict syntax: every JSON text is also YAML.`,
  },
  GW1003: {
    severity: "error",
    summary: "key given twice",
    message: '"{key}" is given twice',
    help: "remove one of the two",
    explain: `The keys of an object are unique. Most parsers silently keep only the last of two, so a whole plugin can get lost.

\`\`\`yaml
headers:
  set: { A: "1" }
  set: { B: "2" }   # write set: { A: "1", B: "2" }
\`\`\``,
  },
  GW1004: {
    severity: "error",
    summary: "several YAML documents in one file",
    message: "a second YAML document begins here",
    help: "move it to a separate file, and name both files or their directory",
    explain: `One file contains one document. A line \`---\` after the first value begins a second one, and YAML does not define how to merge
them. Split the file: \`gwc check a.yaml b.yaml\` and \`gwc check conf.d/\` read several files as one configuration.`,
  },
  GW1005: {
    severity: "error",
    summary: "tab as indentation",
    message: "a tab cannot indent YAML",
    help: "use spaces",
    explain: `YAML measures indentation in spaces; a tab has no defined width. Set the editor to insert spaces in \`.yaml\` files.`,
  },
  GW1008: {
    severity: "error",
    summary: "key that is not text",
    message: "{key} is not text, so it cannot be a key",
    help: "put the key in quotes",
    explain: `Keys are names. YAML reads \`200:\`, \`true:\` and \`null:\` as a number, a boolean and null, and \`[a]:\` as a list.
Write \`"200":\` to use such a value as a name.`,
  },
  GW1009: {
    severity: "error",
    summary: "nesting too deep",
    message: "lists and objects are nested more than {limit} deep",
    explain: `No setting needs more than a dozen levels. The limit keeps a malicious file from exhausting the stack of the compiler.`,
  },
  GW1010: {
    severity: "error",
    summary: "number that cannot be represented exactly",
    message: "{value} cannot be represented exactly as a number",
    help: "put integers above 9007199254740991 (2^53 - 1) in quotes",
    explain: `Numbers are stored as IEEE doubles. A larger integer would be rounded silently, and \`.inf\`, \`.nan\` and \`1e999\` do not
exist in JSON.`,
  },
  GW1011: {
    severity: "error",
    summary: "aliases expand to too many values",
    message: "aliases expand to more than {limit} values in total",
    explain: `Each alias expands to everything below its anchor. A few lines of aliases to aliases can expand to billions of values (the
"billion laughs" attack). The limit prevents this and leaves ample room for shared settings.`,
  },
  GW1012: {
    severity: "error",
    summary: "alias without an anchor",
    message: 'alias "*{alias}" has no anchor: {reason}',
    explain: `An alias \`*name\` repeats the value marked \`&name\` earlier in the same file.

\`\`\`yaml
plugins: &common { response-rewrite: { status_code: 200 } }
other: *common
\`\`\`

Anchors apply to one file only; share plugins between files with a plugin_config. Put text that starts with \`*\` in quotes.`,
  },
  GW1013: {
    severity: "error",
    summary: "unknown YAML tag",
    message: 'unknown YAML tag "{tag}"',
    help: "remove the tag, or put text that starts with ! in quotes",
    explain: `Only the tags of the YAML core schema (\`!!str\`, \`!!int\`, \`!!float\`, \`!!bool\`, \`!!null\`, \`!!seq\`, \`!!map\`) are supported.`,
  },
  GW1014: {
    severity: "error",
    summary: "comment in JSON",
    message: "JSON has no comments",
    help: "remove it, or rename the file to .yaml and begin comments with #",
    explain: `RFC 8259 has no comments, and other tools would reject the file. YAML has them: \`# like this\`.`,
  },
  GW1015: {
    severity: "error",
    summary: "trailing comma in JSON",
    message: 'trailing comma before "{close}"',
    explain: `In JSON, commas only separate values. Remove the last one, or rename the file to \`.yaml\`, where it is allowed.`,
  },
  GW1016: {
    severity: "error",
    summary: "merge key without an object",
    message: 'the value of "<<" must be an object or a list of objects',
    help: "give it an alias to an object: <<: *common",
    explain: `The merge key \`<<\` copies the fields of an object that are not set next to it. Put the name in quotes if a header or field is
really called \`<<\`.`,
  },
  GW1017: {
    severity: "error",
    summary: "half of a surrogate pair",
    message: "{value} contains half of a surrogate pair",
    help: "write the character itself, or both halves",
    explain: `Characters above U+FFFF are escaped as two \`\\uXXXX\` halves. One half alone is not a character and has no UTF-8 encoding.`,
  },
};
