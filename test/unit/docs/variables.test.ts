import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { VARIABLES } from "../../../runtime/abi/variables.js";
import { formatMarkdown } from "../../tools/format-markdown.js";
import { UNPADDED } from "../../tools/plugin-docs.js";

// The page is generated from the table; `UPDATE=1` writes it.
const PAGE = fileURLToPath(new URL("../../../docs/variables.md", import.meta.url));

const HEAD = `# Variables

Write a variable as \`$name\`, \`\${name}\` or \`\${name ?? default}\` in header values, in \`uri\`, in log formats and in the \`key\` of
\`hash_on: vars_combinations\`; \`\\$\` is a dollar. In conditions, write its bare name. An absent variable is the empty text, or the default. A name ends at the first character that cannot belong to it: \`$arg_q.txt\` is \`$arg_q\` and \`.txt\`.

"since" is the earliest moment at which the variable has a value: request, response (in response-rewrite), log, or record (in log formats only, and for a body that the logger includes).
Values that are counted until the end of the response (\`upstream_response_time\`, \`bytes_sent\`) are for logs: the head of the response leaves earlier, even if a filter buffers the body. \`upstream_header_time\` is known by then.

Groups such as \`arg_<name>\` take any name. Header names are in lower case with \`_\` for \`-\`. Values are bytes; numbers compare as numbers.

**Repeated headers.** Their values are joined to one text by \`, \`, those of \`Cookie\` by \`; \`. \`Set-Cookie\`, \`WWW-Authenticate\`, \`Proxy-Authenticate\`,
\`Strict-Transport-Security\` and \`Public-Key-Pins\` are never joined: a header value with \`$upstream_http_set_cookie\` or \`$sent_http_set_cookie\` makes one line per cookie (\`Set-Cookie: "$upstream_http_set_cookie; Secure"\`).
Without a cookie it makes no line, or one with the default. A second such variable in one value is a warning (GW4209). In conditions and logs, a line feed separates the values.

Plugins of packages add variables under their own names, such as \`$user_tier\`; their READMEs list them. Loggers do not redact these variables.

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

it("the page docs/variables.md lists every variable of the table", async () => {
  const fresh = await page();
  if (process.env["UPDATE"] === "1") writeFileSync(PAGE, fresh);
  expect(readFileSync(PAGE, "utf8")).toBe(fresh);
});
