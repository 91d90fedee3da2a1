import type { Catalogue } from "../../model/diagnostic.js";
import { reading } from "./parse-reading.js";

export const parse: Catalogue = {
  ...reading,
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
