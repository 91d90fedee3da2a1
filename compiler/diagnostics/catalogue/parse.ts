import type { Catalogue } from "../diagnostic.js";
import { reading } from "./parse-reading.js";

/** Syntax of YAML and JSON. */
export const parse: Catalogue = {
  ...reading,
  GW1001: {
    severity: "error",
    summary: "YAML syntax",
    message: "not valid YAML: {reason}",
    explain: `The text cannot be read as YAML, so nothing in it is looked at further.

\`\`\`yaml
routes:
  - id: a
   uri: /a     # one blank too few
\`\`\`

Mend the line that is shown. When it looks right, the fault is usually on the line before: a missing quote, bracket or colon.`,
  },
  GW1002: {
    severity: "error",
    summary: "JSON syntax",
    message: "not valid JSON: {reason}",
    explain: `A file named \`.json\` and the body of an admin request are read as JSON (RFC 8259), which has no single quotes, no
unquoted keys, no \`NaN\` and no leading zeros. Rename the file to \`.yaml\` to write it more freely: every JSON text is also YAML.`,
  },
  GW1003: {
    severity: "error",
    summary: "key given twice",
    message: '"{key}" is given twice',
    help: "keep one of the two; the other would be lost without a word",
    explain: `An object names each key once. Most readers silently keep the last of two, so a whole plugin can get lost that way.

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
    help: "put it into a file of its own; files are merged when you name several or a directory",
    explain: `One file holds one document. A line \`---\` after the first value begins a second one, which would have to be merged by
rules that nobody can see. Split the file: \`gwc check a.yaml b.yaml\` and \`gwc check conf.d/\` read several files as one configuration.`,
  },
  GW1005: {
    severity: "error",
    summary: "tab as indentation",
    message: "a tab cannot indent YAML",
    help: "use blanks",
    explain: `YAML measures indentation in blanks; a tab has no width there. Set the editor to insert blanks for \`.yaml\` files.`,
  },
  GW1008: {
    severity: "error",
    summary: "key that is not text",
    message: "{key} is not text, so it cannot be a key",
    help: "put the key in quotes",
    explain: `Keys are names. YAML reads \`200:\`, \`true:\` and \`null:\` as a number, a truth value and nothing, and \`[a]:\` as a list.
Write \`"200":\` to use such a word as a name.`,
  },
  GW1009: {
    severity: "error",
    summary: "nesting too deep",
    message: "lists and objects are nested more than {limit} deep",
    explain: `No setting needs more than a dozen levels. The bound keeps a hostile text from exhausting the stack of the compiler.`,
  },
  GW1010: {
    severity: "error",
    summary: "number that cannot be kept exactly",
    message: "{value} is not a number that can be kept exactly",
    help: "whole numbers go up to 9007199254740991 (2^53 - 1); put anything larger in quotes",
    explain: `Numbers are kept as IEEE doubles. A larger whole number would be rounded without a word, and \`.inf\`, \`.nan\` and \`1e999\`
have no place in JSON.`,
  },
  GW1011: {
    severity: "error",
    summary: "aliases repeat too much",
    message: "aliases repeat more than {limit} values in all",
    explain: `Each alias stands for everything below its anchor. A few lines of aliases to aliases can stand for billions of values (the
"billion laughs" attack); the bound refuses them and leaves ample room for shared settings.`,
  },
  GW1012: {
    severity: "error",
    summary: "alias without an anchor",
    message: '"*{alias}" names nothing: {reason}',
    explain: `An alias \`*name\` repeats the value marked \`&name\` earlier in the same file.

\`\`\`yaml
plugins: &common { response-rewrite: { status_code: 200 } }
other: *common
\`\`\`

Anchors do not reach over files; share plugins between files with a plugin_config. Text that starts with \`*\` stands in quotes.`,
  },
  GW1013: {
    severity: "error",
    summary: "YAML tag that is not known",
    message: 'the tag "{tag}" has no meaning here',
    help: "remove the tag; text that starts with ! stands in quotes",
    explain: `Only the tags of the YAML core schema (\`!!str\`, \`!!int\`, \`!!float\`, \`!!bool\`, \`!!null\`, \`!!seq\`, \`!!map\`) are known.`,
  },
  GW1014: {
    severity: "error",
    summary: "comment in JSON",
    message: "JSON has no comments",
    help: "remove it, or rename the file to .yaml and begin comments with #",
    explain: `RFC 8259 has no comments, and tools that read the same file would stop here. YAML has them: \`# like this\`.`,
  },
  GW1015: {
    severity: "error",
    summary: "comma before a closing bracket in JSON",
    message: 'no comma may stand before "{close}"',
    explain: `In JSON a comma stands between two values only. Remove the last one, or rename the file to \`.yaml\`, where it is allowed.`,
  },
  GW1016: {
    severity: "error",
    summary: "merge key without an object",
    message: '"<<" takes an object or a list of objects',
    help: "give it an alias to an object: <<: *common",
    explain: `The merge key \`<<\` copies the fields of an object that are not set beside it. A header or field really called \`<<\` is
written in quotes.`,
  },
  GW1017: {
    severity: "error",
    summary: "half of a surrogate pair",
    message: "{value} holds half of a surrogate pair",
    help: "write the character itself, or both halves",
    explain: `Characters above U+FFFF are escaped as two \`\\uXXXX\` halves. One half alone is no character and has no UTF-8 bytes to send.`,
  },
};
