import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { VARIABLES } from "../../../runtime/abi/variables.js";
import { formatMarkdown } from "../../tools/format-markdown.js";
import { UNPADDED } from "../../tools/plugin-docs.js";

// The page is made from the table; `UPDATE=1` writes it.
const PAGE = fileURLToPath(new URL("../../../docs/variables.md", import.meta.url));

const HEAD = `# Variables

In header values, in \`uri\`, in formats of logs and in the \`key\` of \`hash_on: vars_combinations\` a variable is written \`$name\`, \`\${name}\` or \`\${name ?? default}\`; \`\\$\` is a dollar. In conditions its name stands bare. An absent
variable is the empty text, or the default. A name ends at the first character that cannot belong to it: \`$arg_q.txt\` is \`$arg_q\` and \`.txt\`.

"since" says from when on it has its value: request, response (in response-rewrite), log, or record (in log formats only, and
of a body that the logger includes). What is counted until the response's end
(\`upstream_response_time\`, \`bytes_sent\`) is for logs: its header has left by then, also where a filter holds the body; \`upstream_header_time\` is known there. Groups such as \`arg_<name>\` take any name; names of
headers are in lower case with \`_\` for \`-\`. Values are bytes; numbers compare as numbers.

**Fields that came on several lines.** Their values become one text, joined by \`, \`, those of \`Cookie\` by \`; \`. Never joined are \`Set-Cookie\`, \`WWW-Authenticate\`, \`Proxy-Authenticate\`,
\`Strict-Transport-Security\` and \`Public-Key-Pins\`: a header value with \`$upstream_http_set_cookie\` or \`$sent_http_set_cookie\` makes one line for each cookie, and none without one
(\`Set-Cookie: "$upstream_http_set_cookie; Secure"\`), or one with the default. A second such variable in one value is a warning (GW4209). In conditions and logs
a line feed stands between their values.

Plugins of packages add variables under their own names, such as \`$user_tier\`; their READMEs say which. Loggers mask nothing in them.

${UNPADDED}
| variable | type | since | meaning |
|---|---|---|---|
`;

function page(): Promise<string> {
  const rows = VARIABLES.map(({ name, prefixed, type, optional, from, description }) => {
    const shown = prefixed ? `${name}<name>` : name;
    return `| \`${shown}\` | ${type}${optional ? ", may be absent" : ""} | ${from} | ${description} |\n`;
  });
  return formatMarkdown("docs/variables.md", HEAD + rows.join(""));
}

it("docs/variables.md lists every variable of the table", async () => {
  const fresh = await page();
  if (process.env["UPDATE"] === "1") writeFileSync(PAGE, fresh);
  expect(readFileSync(PAGE, "utf8")).toBe(fresh);
});
