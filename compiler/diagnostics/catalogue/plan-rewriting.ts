import type { Catalogue } from "../../model/diagnostic.js";

/**
 * Header actions (GW403x), `_meta` (GW405x), proxy-rewrite (GW41xx), response-rewrite (GW42xx), key-auth
 * (GW43xx).
 */
export const rewriting: Catalogue = {
  GW4032: {
    severity: "warning",
    summary: "header both removed and set",
    message: '"{name}" is removed and set; set wins',
    help: "omit it from remove: set replaces every earlier value",
    explain: `Header actions run in the order add, remove, set. A header in both \`remove\` and \`set\` is set in the end, so the removal
has no effect.`,
  },
  GW4033: {
    severity: "error",
    summary: "header set twice",
    message: '"{name}" is set twice: header names ignore case',
    explain: "`X-A` and `x-a` are the same header. Keep the spelling that the receiver is to see.",
  },
  GW4034: {
    severity: "warning",
    summary: "header that only the gateway writes",
    message: '"{name}" belongs to the connection: the gateway writes it itself and ignores this action',
    explain:
      "`Content-Length`, `Transfer-Encoding`, `Connection`, `Keep-Alive`, `TE`, `Trailer` and `Upgrade` describe the framing of a message on one connection. Other values would break it, so the gateway ignores header actions for them.",
  },
  GW4035: {
    severity: "warning",
    summary: "header added and removed",
    message: '"{name}" is added and then removed, so adding it has no effect',
    explain:
      "Header actions run in the order add, remove, set. `remove` deletes the value that `add` appends.",
  },
  GW4036: {
    severity: "warning",
    summary: "header added and set",
    message: '"{name}" is added and then set, so the added value is lost',
    help: "keep one of the two",
    explain:
      "Header actions run in the order add, remove, set. `set` replaces all values of the header, including those from `add`.",
  },
  GW4037: {
    severity: "warning",
    summary: "header removed twice",
    message: '"{name}" is removed twice: header names ignore case',
    help: "keep one of the two",
    explain: "`X-A` and `x-a` are the same header, so the second removal has no effect.",
  },
  GW4038: {
    severity: "warning",
    summary: "Content-Encoding with a changed body",
    message: '"{name}" is not sent: {body} does not have that encoding',
    help: "omit it: the gateway sets it to the encoding of the body",
    explain: `A filtered body is decoded, and encoded again if the client accepts it; the gateway then sets the header. A new \`body\` is sent
unchanged. With \`Content-Encoding: gzip\` clients would decode a body that is not encoded, so the gateway drops the header. It keeps the
header of a body that is encoded already:

\`\`\`yaml
response-rewrite:
  body: H4sIAAAAAAAAA0vOyS9OTeECAL/ntJUHAAAA     # gzip
  body_base64: true
  headers: { set: { Content-Encoding: gzip } }
\`\`\``,
  },
  GW4039: {
    severity: "warning",
    summary: "header of the old body, sent with a new one",
    message: '"{name}" describes the body of the upstream, and {body} differs from it',
    help: 'omit it, or send a weak ETag: "W/$upstream_http_etag"',
    explain: `ETags, digests and Content-Range describe the exact bytes of a body. If the bytes differ, caches combine parts that do not fit, and
clients reject the body. The gateway removes these headers from a changed body; a value from \`$upstream_http_…\` adds them again.

\`\`\`yaml
response-rewrite:
  filters: [{ regex: internal, replace: public }]
  headers: { set: { ETag: $upstream_http_etag } }     # GW4039
\`\`\``,
  },
  GW4050: {
    severity: "warning",
    summary: "error response that nothing sends",
    message: "{plugin} sends no error response here, so this one has no effect",
    help: "remove it, or set it in the plugin that rejects requests",
    explain: `\`_meta.error_response\` replaces the body of the local reply when a plugin rejects a request, as \`key-auth\` does without a
key. It has no effect for a plugin that rejects no requests. A plugin of a package must support it: its plan or views must read
\`errorResponse\`.

\`\`\`yaml
plugins:
  key-auth: { _meta: { error_response: { message: "ask for a key at keys@example.com" } } }
\`\`\``,
  },
  GW4101: {
    severity: "warning",
    summary: "uri and regex_uri together",
    message: "regex_uri has no effect: uri takes precedence",
    help: "keep one of the two",
    explain: "`uri` replaces the whole path, so `regex_uri` is not applied, and its captures do not exist.",
  },
  GW4102: {
    severity: "error",
    summary: "regex_uri with an odd number of elements",
    message: "The length of regex_uri should be an even number",
    help: "write pairs: pattern, replacement, pattern, replacement",
    explain: `\`regex_uri\` is a flat list of pairs.

\`\`\`yaml
regex_uri: ["^/old/(.*)", "/new/$1", "^/older/(.*)"]   # the last pattern has no replacement
\`\`\``,
  },
  GW4103: {
    severity: "warning",
    summary: "regex_uri pair that is never reached",
    message: 'the pair "{pattern}" is never reached: {before} always matches first',
    help: "put the specific pair first",
    explain: `The first pair whose pattern matches is applied and the others are ignored. A pair is never reached if earlier pairs match all
paths that it matches. gwc compares the paths that patterns match, not their text. It skips patterns with back references and those
that are too large to compare.

\`\`\`yaml
regex_uri: ["^/(.*)$", "/app/$1", "^/api/users/(.*)$", "/users/$1"]       # GW4103: put ^/api/users/ first
\`\`\``,
  },
  GW4104: {
    severity: "warning",
    summary: "Host in the headers of proxy-rewrite",
    message: '"Host" in headers.{action} has no effect',
    help: "use `host` of proxy-rewrite",
    explain: `\`host\` of proxy-rewrite and \`pass_host\` of the upstream set the Host header of the upstream request.

\`\`\`yaml
proxy-rewrite:
  host: orders.internal
\`\`\``,
  },
  GW4105: {
    severity: "warning",
    summary: "$request_uri inside uri",
    message: '"${name}" in uri adds its query to the path',
    help: "write $uri; the query of the client is appended automatically",
    explain:
      "`$request_uri` is the target with its query. In a path its `?` is data and is sent as `%3F`. The query of the client is always appended to the new path.",
  },
  GW4106: {
    severity: "error",
    summary: "a target that is never sent",
    message: '"{uri}" produces a path that is rejected: {reason}',
    help: "write the path of the upstream request, without dot segments after a variable",
    explain: `The path from \`uri\` and \`regex_uri\` passes the same checks as a received path (docs/paths.md). The result of a dot segment after
a variable or a capture depends on the value, so every such request would be rejected with 400.

\`\`\`yaml
proxy-rewrite:
  uri: /users/$arg_id/../profile      # GW4106
\`\`\``,
  },
  GW4107: {
    severity: "warning",
    summary: "a target that is sent in a different spelling",
    message: '"{uri}" is sent as "{form}"',
    help: "write it in the form in which it is sent",
    explain:
      "The path of an upstream request is normalized (docs/paths.md): it has no dot segments, and one spelling for each escape.",
  },
  GW4108: {
    severity: "warning",
    summary: "a pattern with text that no path contains",
    message: 'no path contains "{pattern}": a normalized path contains it as "{form}"',
    help: "write it with escapes",
    explain: `\`regex_uri\` matches the normalized path (docs/paths.md): spaces and letters beyond ASCII are escapes, with upper-case digits.

\`\`\`yaml
regex_uri: ["^/a b/(.*)", "/new/$1"]        # GW4108: never matches; write ^/a%20b/(.*)
\`\`\``,
  },
  GW4202: {
    severity: "warning",
    summary: "body or filters of a response without a body",
    message: "a response with status {status} has no body, so {what}",
    help: "choose another status_code",
    explain:
      "Responses with status 204 and 304 end after their headers, and a 205 has no content (RFC 9110). The gateway never sends a body with them.",
  },
  GW4203: {
    severity: "warning",
    summary: "size limit without filters",
    message: '"{field}" has no effect without filters',
    explain:
      "`max_resp_body_size` and `on_oversize` limit the body that filters process. Without `filters` the body is never buffered.",
  },
  GW4204: {
    severity: "warning",
    summary: "filter that changes nothing",
    message: "matches of /{pattern}/ are replaced by themselves",
    help: "change the replacement, or remove the filter",
    explain: `The replacement is the text that the pattern matches, or \`$0\`, the match itself. The gateway searches the body, and may buffer it,
without effect.

\`\`\`yaml
response-rewrite:
  filters: [{ regex: "cdn\\\\.example\\\\.com", replace: cdn.example.com }]   # GW4204
\`\`\``,
  },
  GW4205: {
    severity: "note",
    advice: true,
    summary: "filter that delays live streams until they end",
    message: "/{pattern}/ delays a live stream until it ends: {reason}",
    help: "limit repetitions by a count, as in [^>]{0,200}, and omit option u if bytes suffice",
    explain: `A filter whose matches have no maximum length needs the whole body. The client of a live stream, such as server-sent events, receives
nothing before the stream ends. If the route serves no such streams, ignore this note.

\`\`\`yaml
response-rewrite:
  filters: [{ regex: "<b[^>]*>", replace: "" }]   # GW4205; write <b[^>]{0,200}>
\`\`\``,
  },
  GW4206: {
    severity: "note",
    advice: true,
    summary: "filter that can delay events of a live stream",
    message: "/{pattern}/ can delay up to {bytes} bytes of a live stream beyond the end of an event",
    help: 'keep line feeds out of its classes, as in [^"\\n], and avoid back references and overlapping repetitions',
    explain: `A streaming filter delays bytes that may begin a match until the match is decided. This pattern can match across a line feed, so the end of a
server-sent event, or a line of JSON, may wait for the next one. There is no timeout, because the result would differ.
Patterns with back references delay that many bytes of every text. So do patterns on a linear engine whose match depends on more bytes than
their backtracking limit, which \`gwc check --explain\` prints.

\`\`\`yaml
response-rewrite:
  filters: [{ regex: '"email":"[^"]{0,200}"', replace: '"email":""' }]   # GW4206; write [^"\\n]
\`\`\``,
  },
  GW4207: {
    severity: "warning",
    summary: "status without the header that it requires",
    message: "a response with status {status} must have {name}",
    help: "set {name} in headers of response-rewrite",
    explain: `A 401 needs \`WWW-Authenticate\` and a 407 \`Proxy-Authenticate\` with the way to authenticate; a 405 lists the supported methods in
\`Allow\` (RFC 9110). Without the header clients cannot act on the status.

\`\`\`yaml
response-rewrite:
  status_code: 401
  headers: { set: { WWW-Authenticate: 'Bearer realm="shop"' } }
\`\`\``,
  },
  GW4209: {
    severity: "warning",
    summary: "header value with two variables of several values",
    message: 'each line of "${first}" makes one value, and each value contains all lines of "${name}"',
    help: "write two headers, each with one of the variables",
    explain: `Lines of \`Set-Cookie\`, of the challenges \`WWW-Authenticate\` and \`Proxy-Authenticate\`, of \`Strict-Transport-Security\` and of
\`Public-Key-Pins\` are never joined (RFC 9110 section 5.3). A header value that uses them becomes one value for each line of its first
such variable. Each of these contains all lines of the others, separated by \`%0A\`.

\`\`\`yaml
response-rewrite:
  headers:
    set: { X-A: "$upstream_http_set_cookie; $upstream_http_www_authenticate" }     # GW4209
\`\`\``,
  },
  GW4301: {
    severity: "warning",
    summary: "key-auth without consumers",
    message: "no consumer has a key, so every request is rejected",
    help: "add a consumer with plugins: { key-auth: { key: ... } }",
    explain: `\`key-auth\` accepts requests with the key of a consumer. If no consumer has a key, it rejects all requests with 401.

\`\`\`yaml
consumers:
  - username: mobile-app
    plugins: { key-auth: { key: "\${{MOBILE_APP_KEY}}" } }
\`\`\``,
  },
  GW4302: {
    severity: "error",
    summary: "two consumers with the same key",
    message: 'consumers "{username}" and "{other}" have the same key',
    explain: "A key identifies the consumer of a request, so keys must be unique.",
  },
};
