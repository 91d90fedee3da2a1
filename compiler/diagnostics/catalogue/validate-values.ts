import type { Catalogue } from "../../model/diagnostic.js";

/** Single values: numbers, texts, lists, headers, addresses. */
export const values: Catalogue = {
  GW2104: {
    severity: "error",
    summary: "value that is not one of the choices",
    message: "{label} must be {choices}, not {found}",
    explain: `The field takes one of a fixed set of words or numbers, in exactly this spelling. Methods are in upper case, all others in
lower case.`,
  },
  GW2105: {
    severity: "error",
    summary: "number out of range",
    message: "{label} must be {bounds}, not {found}",
    explain: `The number is outside the bounds of the field. A \`status_code\` is from 200 to 598, a time is in seconds and
greater than 0, and a port is at most 65535.`,
  },
  GW2106: {
    severity: "error",
    summary: "text of the wrong form",
    message: "{label} must be {expected}, not {found}",
    explain: `The text does not have the form of the field. Paths start with \`/\` and have no query; ids consist of letters, digits,
\`-\`, \`_\` and \`.\`; hosts have neither port nor path.`,
  },
  GW2109: {
    severity: "error",
    summary: "text too short or too long",
    message: "{label} has {length} characters; it must have {bounds}",
    explain: `Texts have a limit so that lists, logs and metrics stay readable. An empty text is usually a missing value.`,
  },
  GW2110: {
    severity: "error",
    summary: "list or object with too few or too many items",
    message: "{label} must have {bounds}",
    explain: `An empty list is rejected where it could mean all or none, as in \`methods: []\`. Omit the field to use its default.`,
  },
  GW2111: {
    severity: "error",
    summary: "value listed twice",
    message: "{value} is listed twice in {list}",
    help: "remove one of the two",
    explain: `A repeated value has no effect, so one of the two is probably a mistake.`,
  },
  GW2115: {
    severity: "error",
    summary: "body that is not base64",
    message: "{label} is not base64: {reason}",
    help: "encode it with `base64 -w0`, or omit body_base64 to send the text unchanged",
    explain: `With \`body_base64: true\` the configured \`body\` is decoded before it is sent, so it must be base64 (RFC 4648), with or
without padding, and without line breaks. The setting never decodes the body of the upstream.`,
  },
  GW2116: {
    severity: "error",
    summary: "invalid header name",
    message: "{value} is not a header name: {reason}",
    explain: `A header name consists of letters, digits and \`! # $ % & ' * + - . ^ _ \\\` | ~\` (RFC 9110). A space or colon in it would
change the header on the wire.`,
  },
  GW2117: {
    severity: "error",
    summary: "control character in a header value",
    message: "{label} is not a header value: {reason}",
    help: "in YAML, write the value on one line or fold it with >-",
    explain: `CR, LF and NUL would end the header and start another one, which allows header injection. A YAML
block text (\`|\` or \`>\`) ends with a line feed unless it is written \`|-\` or \`>-\`.`,
  },
  GW2118: {
    severity: "error",
    summary: "malformed header line",
    message: "{label} is not a header line: {reason}",
    help: 'write "Name: value"',
    explain: `Each entry of \`headers.add\` is one header line. It is split at the first colon, so the value may contain colons.

\`\`\`yaml
headers:
  add: ["Link: <https://example.com/>; rel=next"]
\`\`\``,
  },
  GW2119: {
    severity: "error",
    summary: "invalid address",
    message: "{value} is not a valid address: {reason}",
    explain: `An address is IPv4 (\`192.0.2.7\`) or IPv6 (\`2001:db8::7\`); a block has a prefix length (\`10.0.0.0/8\`, \`2001:db8::/32\`) of at
most 32 or 128. Host names are not resolved here.`,
  },
  GW2132: {
    severity: "error",
    summary: "invalid CA certificates",
    message: "{label} contains no CA certificates: {reason}",
    help: "write the whole PEM file of the CA: one or more blocks BEGIN CERTIFICATE, without private keys",
    explain: `The text is one or more certificates in PEM format, which \`openssl x509 -in FILE -noout -text\` can read. Certificates are public: the admin API and the
web interface show them unmasked. A private key among them is therefore rejected; replace a key that was exposed.`,
  },
  GW2136: {
    severity: "error",
    summary: "invalid path of a certificate file",
    message: "{label} is not a valid file path: {reason}",
    help: 'name the file, such as "/etc/letsencrypt/live/shop.example.com/fullchain.pem"',
    explain: `\`cert_file\` and \`key_file\` are paths of files that the gateway reads; PEM text belongs in \`cert\` and \`key\`. A private key is rejected here and
not printed; replace a key that was exposed.`,
  },
  GW2137: {
    severity: "error",
    summary: "no known cipher suite",
    message: "gw.ssl.ssl_ciphers contains no cipher suite that this gateway supports",
    help: 'write OpenSSL names, such as "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256", or omit it',
    explain: `\`openssl ciphers -v LIST\` prints the suites of a list. OpenSSL ignores unknown names if at least one is known. If none is known it rejects the
list, and the gateway could not present a certificate.`,
  },
  GW2141: {
    severity: "error",
    summary: "invalid client certificate",
    message: "{label} is not a certificate chain: {reason}",
    help: "write the PEM text of the certificate, followed by its issuers if the server does not have them",
    explain: `The gateway presents this chain to a server that asks for a client certificate. The chain is public, so a private key in it is
rejected. The key belongs in its own field, which is a secret.`,
  },
  GW2143: {
    severity: "error",
    summary: "invalid JSON path",
    message: "{value} is not a JSON path: {reason}",
    help: 'write names and indexes, such as "user.password", "items[*].card" or "$..token"',
    explain: `A JSON path selects values in a document. Its steps are those of RFC 9535 without slices and filters: \`.name\`, \`['any name']\`, \`[0]\`, \`[*]\` and \`.*\` for each
member or item, and \`..name\` for a name at any depth. \`$\` at the beginning is optional.

\`\`\`yaml
redact: { body: { json_paths: [user.password, "$..token"] } }
redact: { body: { json_paths: ["user[?(@.admin)]"] } }         # GW2143
\`\`\``,
  },
  GW2129: {
    severity: "error",
    summary: "invalid format of the access log",
    message: "{value} is not a format of the access log: {reason}",
    help: 'write combined, json, or a pattern such as "$remote_addr $status $request_time"',
    explain: `A pattern is text with variables, \`$name\`, \`${"$"}{name}\` or \`${"$"}{name ?? default}\`; \`\\$\` is a dollar sign. All variables are available except those of bodies,
which only loggers capture.

\`\`\`yaml
gw:
  access_log: { path: access.log, format: "$remote_addr [$time_iso8601] $status $request_time" }
\`\`\``,
  },
  GW2122: {
    severity: "error",
    summary: "invalid node of an upstream",
    message: "{value} is not a node: {reason}",
    help: 'write host or host:port, such as "10.0.0.1:8080", "orders.internal" or "[2001:db8::7]:8080"',
    explain: `A node is a host name or an address, with the port after a colon in the object form and in \`port\` in the list form;
without a port it is 80 for \`http\` and 443 for \`https\`. IPv6 addresses are in brackets, because a colon
separates the port.

\`\`\`yaml
nodes: { "[2001:db8::7]:8080": 1 }
nodes: [{ host: orders.internal, port: 8080, weight: 1 }]
\`\`\``,
  },
  GW2120: {
    severity: "error",
    summary: "invalid host or port",
    message: "{label} is not a host with or without a port: {reason}",
    explain: `A host is a name or an address, IPv6 in brackets, with an optional port from 1 to 65535 after a colon:
\`orders.internal\`, \`orders.internal:8080\`, \`[2001:db8::7]:8080\`.`,
  },
  GW2128: {
    severity: "error",
    summary: "file of another product",
    message: "this is a configuration of {product}, which gwc does not read",
    help: "see docs/migration.md for the equivalent settings",
    explain: `The file has a field or a structure that only the other product uses, so the rest of it is not checked. \`gwc init\` writes a
commented \`gateway.yaml\` to start from.`,
  },
  GW2133: {
    severity: "error",
    summary: "list or object with too many entries",
    message: "{label} has {count} entries; the limit is {limit}",
    help: "split the resource, or match the common part: a host such as *.example.com, a path such as /a/*, a block of addresses",
    explain: `The time to compile a list grows with its length, and all other writes wait for it. The limit applies to every list and object of
a resource, including those of plugins.`,
  },
  GW2134: {
    severity: "error",
    summary: "condition with too many comparisons",
    message: "the condition has {count} comparisons; the limit is {limit}",
    help: 'list the values of one variable in one comparison: ["arg_id", "in", ["1", "2"]]',
    explain: `A condition is one expression of the generated module, and each request of its route evaluates it from left to right. A comparison
with \`in\` or \`ipmatch\` counts as one, however many values it lists.

\`\`\`yaml
vars: [OR, [arg_id, ==, "1"], [arg_id, ==, "2"]]     # 2 comparisons
vars: [[arg_id, in, ["1", "2"]]]                     # 1 comparison
\`\`\``,
  },
  GW2135: {
    severity: "error",
    summary: "route with too many pairs of host and path",
    message:
      'route "{id}" has {hosts} hosts and {uris} paths, which make {pairs} pairs; the limit is {limit}',
    help: "split the route, replace similar hosts or paths by wildcards, or omit the hosts",
    explain: `The router has an entry for each host with each path of a route: 2,000 hosts with 2,000 paths would take 12 seconds, and 1.8 GB in
each process.`,
  },
  GW2138: {
    severity: "error",
    summary: "resource with too many values",
    message: "the {word} has {count} values and variables; the limit is {limit}",
    help: "split the resource",
    explain: `The time to check and compile a resource grows with its size, and all other writes wait for it. Each text, number, list and object
counts as one value, and so does each \`$\` in a text. Ten thousand nodes with host, port, weight and priority are fine.`,
  },
  GW2139: {
    severity: "error",
    summary: "document that takes too long to validate",
    message: "the document takes over {seconds} s to validate",
    help: "send it in parts, or run gwc check on it",
    explain: `\`POST /gw/admin/configs/validate\` checks a large document, or one with slow regexes, in a separate thread with this time
limit. \`gwc check\` has no limit.`,
  },
  GW2127: {
    severity: "error",
    summary: "resource that is too large",
    message: "the {word} has {size} characters as JSON; the limit is {limit}",
    help: "split it, or serve large texts from an upstream",
    explain: `A resource is limited to the body size of the admin API, in files too, because it is compiled as a whole and every worker loads
the result.`,
  },
};
