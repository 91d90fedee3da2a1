import type { Catalogue } from "../diagnostic.js";

/** Single values: numbers, texts, lists, headers, addresses. */
export const values: Catalogue = {
  GW2104: {
    severity: "error",
    summary: "value that is not one of the choices",
    message: "{label} must be {choices}, not {found}",
    explain: `The field takes one of a fixed set of words or numbers, spelled exactly so. Methods are upper case, everything else is
lower case.`,
  },
  GW2105: {
    severity: "error",
    summary: "number out of range",
    message: "{label} must be {bounds}, not {found}",
    explain: `The number is outside the bounds of the field. A \`status_code\` goes from 200 to 598; times are seconds and greater than
0; a port goes to 65535.`,
  },
  GW2106: {
    severity: "error",
    summary: "text of the wrong form",
    message: "{label} must be {expected}, not {found}",
    explain: `The text does not have the form of the field. Paths start with \`/\` and have no query; ids are made of letters, digits,
\`-\`, \`_\` and \`.\`; hosts have neither port nor path.`,
  },
  GW2109: {
    severity: "error",
    summary: "text too short or too long",
    message: "{label} has {length} characters; it must have {bounds}",
    explain: `Texts are bounded so that lists, logs and metrics stay readable; an empty text is most often a value that got lost.`,
  },
  GW2110: {
    severity: "error",
    summary: "list too short or too long",
    message: "{label} must have {bounds}",
    explain: `An empty list is refused where it could mean everything or nothing: \`methods: []\` does not say whether the route
serves all methods or none. Leave the field out to get its default.`,
  },
  GW2111: {
    severity: "error",
    summary: "value listed twice",
    message: "{value} is listed twice in {list}",
    help: "remove one of the two",
    explain: `Listing a value again changes nothing, so one of the two was probably meant to be another value.`,
  },
  GW2115: {
    severity: "error",
    summary: "body that is not base64",
    message: "{label} is not base64: {reason}",
    help: "encode it with `base64 -w0`, or leave out body_base64 to send the text as it is",
    explain: `With \`body_base64: true\` the configured \`body\` is decoded before it is sent, so it must be base64 as RFC 4648 has it,
with or without padding, and without line breaks. The setting never decodes the upstream's body.`,
  },
  GW2116: {
    severity: "error",
    summary: "invalid header name",
    message: "{value} is not a header name: {reason}",
    explain: `A header name is made of letters, digits and \`! # $ % & ' * + - . ^ _ \\\` | ~\` (RFC 9110). A blank or colon in it would
make another header of it on the wire.`,
  },
  GW2117: {
    severity: "error",
    summary: "control character in a header value",
    message: "{label} is not a header value: {reason}",
    help: "in YAML, write the value on one line or fold it with >-",
    explain: `CR, LF and NUL would end the header and start another one: a way to smuggle headers into requests and responses. A YAML
block text (\`|\` or \`>\`) ends with a line feed unless it is written \`|-\` or \`>-\`.`,
  },
  GW2118: {
    severity: "error",
    summary: "malformed header line",
    message: "{label} is not a header line: {reason}",
    help: 'write "Name: value"',
    explain: `Each entry of \`headers.add\` is one header line. It is split at the first colon, so the value may hold colons.

\`\`\`yaml
headers:
  add: ["Link: <https://example.com/>; rel=next"]
\`\`\``,
  },
  GW2119: {
    severity: "error",
    summary: "invalid address",
    message: "{value} is not an address that can be used here: {reason}",
    explain: `Addresses are IPv4 (\`192.0.2.7\`) or IPv6 (\`2001:db8::7\`), blocks have a prefix length (\`10.0.0.0/8\`,
\`2001:db8::/32\`) of at most 32 or 128. Host names are not looked up here.`,
  },
  GW2132: {
    severity: "error",
    summary: "no certificates of authorities",
    message: "{label} holds no certificates to trust: {reason}",
    help: "write the whole PEM file of the authority: one or more blocks BEGIN CERTIFICATE, and nothing secret",
    explain: `The text is one or more certificates in PEM form, each of which \`openssl x509 -in FILE -noout -text\` reads. They are public: answers of the admin API and
the web interface show them as they are. A private key that stands among them is refused for that; one that has been shown is no longer one.`,
  },
  GW2136: {
    severity: "error",
    summary: "invalid path of a certificate's file",
    message: "{label} is not the path of a file: {reason}",
    help: 'name the file, such as "/etc/letsencrypt/live/shop.example.com/fullchain.pem"',
    explain: `\`cert_file\` and \`key_file\` name files that the gateway reads; texts in PEM stand in \`cert\` and \`key\`. A private key that stands here is refused
without being repeated; one that has been shown is no longer one.`,
  },
  GW2137: {
    severity: "error",
    summary: "no cipher suite that is known",
    message: "gw.ssl.ssl_ciphers names no cipher suite that this gateway knows",
    help: 'write names of OpenSSL, such as "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256", or leave it out',
    explain: `\`openssl ciphers -v LIST\` prints the suites that a list stands for. Names that OpenSSL does not know are ignored beside one that it knows; with
none it refuses the list, and a gateway could present no certificate.`,
  },
  GW2141: {
    severity: "error",
    summary: "invalid certificate of a client",
    message: "{label} is not a certificate chain: {reason}",
    help: "write the PEM file of the certificate, and those of its issuers after it if the server does not know them",
    explain: `It is what the gateway shows to a server that asks who it is. It is public, so a private key that stands in it is refused;
its key has a field of its own, which is kept as a secret.`,
  },
  GW2143: {
    severity: "error",
    summary: "invalid path of JSON",
    message: "{value} is not a path of JSON: {reason}",
    help: 'write names and indexes, such as "user.password", "items[*].card" or "$..token"',
    explain: `A path leads from the whole to a value. Its steps are those of RFC 9535 without slices and filters: \`.name\`, \`['any name']\`, \`[0]\`, \`[*]\` and \`.*\` for each
member or item, and \`..name\` for a name at any depth. \`$\` at the beginning may be left out.

\`\`\`yaml
redact: { body: { json_paths: [user.password, "$..token"] } }
redact: { body: { json_paths: ["user[?(@.admin)]"] } }         # GW2143
\`\`\``,
  },
  GW2129: {
    severity: "error",
    summary: "invalid format of the access log",
    message: "{value} is no format of the access log: {reason}",
    help: 'write combined, json, or a pattern such as "$remote_addr $status $request_time"',
    explain: `A pattern is text with variables, \`$name\`, \`${"$"}{name}\` or \`${"$"}{name ?? default}\`; \`\\$\` is a dollar. Each variable of the gateway may stand in it but for those of bodies,
which only loggers keep.

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
without a port it is 80 for \`http\` and 443 for \`https\`. IPv6 addresses stand in brackets, so that their colons are not
taken for the port's.

\`\`\`yaml
nodes: { "[2001:db8::7]:8080": 1 }
nodes: [{ host: orders.internal, port: 8080, weight: 1 }]
\`\`\``,
  },
  GW2120: {
    severity: "error",
    summary: "invalid host or port",
    message: "{label} is not a host with or without a port: {reason}",
    explain: `A host is a name or an address, IPv6 in brackets, with a port from 1 to 65535 after a colon if need be:
\`orders.internal\`, \`orders.internal:8080\`, \`[2001:db8::7]:8080\`.`,
  },
  GW2128: {
    severity: "error",
    summary: "file of another product",
    message: "this is a configuration of {product}, which gwc does not read",
    help: "docs/migration.md shows what takes the place of what",
    explain: `The file has a field, or a form, that only the other product has, so nothing else in it is looked at. \`gwc init\` writes a
commented \`gateway.yaml\` to begin with.`,
  },
  GW2133: {
    severity: "error",
    summary: "list or object with too many entries",
    message: "{label} has {count} entries; {limit} is the limit",
    help: "split the resource, or ask for the common part: a host such as *.example.com, a path such as /a/*, a block of addresses",
    explain: `What is compiled of a list takes the longer the more it holds, and all other writes wait for it. The limit holds for every list and
object of a resource, those of plugins too.`,
  },
  GW2134: {
    severity: "error",
    summary: "condition with too many comparisons",
    message: "the condition has {count} comparisons; {limit} is the limit",
    help: 'list the values of one variable in one comparison: ["arg_id", "in", ["1", "2"]]',
    explain: `A condition is one expression of the generated module, and each request of its route goes through it from left to right. A comparison
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
      'route "{id}" has {hosts} hosts and {uris} paths, which make {pairs} pairs; {limit} is the limit',
    help: "split the route, put wildcards in place of hosts or paths that are alike, or leave out the hosts",
    explain: `The router finds a route under each of its hosts with each of its paths, so both multiply: 2,000 hosts with 2,000 paths would take 12
seconds and 1.8 GB of each process.`,
  },
  GW2138: {
    severity: "error",
    summary: "resource with too many values",
    message: "the {word} has {count} values and variables; {limit} is the limit",
    help: "split the resource",
    explain: `What is checked and compiled of a resource takes the longer the more it holds, and all other writes wait for it. Each text,
number, list and object counts as one, and so does each \`$\` in a text. Ten thousand nodes with host, port, weight and priority are fine.`,
  },
  GW2139: {
    severity: "error",
    summary: "document that takes too long to validate",
    message: "the document takes over {seconds} s to validate",
    help: "send it in parts, or run gwc check on it",
    explain: `\`POST /gw/admin/configs/validate\` looks at a large document, and at one whose regexes take long to judge, in a thread of its
own for so many seconds at the most. \`gwc check\` takes as long as it needs.`,
  },
  GW2127: {
    severity: "error",
    summary: "resource that is too large",
    message: "the {word} has {size} characters as JSON; {limit} is the limit",
    help: "split it, or serve large texts from an upstream",
    explain: `A resource may be as large as a body of the admin API, in files too: it is compiled as a whole, and each worker
loads what becomes of it.`,
  },
};
