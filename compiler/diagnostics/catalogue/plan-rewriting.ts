import type { Catalogue } from "../diagnostic.js";

/**
 * Header actions (GW403x), `_meta` of plugins (GW405x), proxy-rewrite (GW41xx), response-rewrite (GW42xx),
 * key-auth (GW43xx).
 */
export const rewriting: Catalogue = {
  GW4032: {
    severity: "warning",
    summary: "header both removed and set",
    message: '"{name}" is removed and set; set wins',
    help: "leave it out of remove: set replaces every earlier value",
    explain: `Header actions run in the order add, remove, set. A header named in both \`remove\` and \`set\` ends up set, so the removal
does nothing.`,
  },
  GW4033: {
    severity: "error",
    summary: "header set twice",
    message: '"{name}" is set twice: header names ignore case',
    explain: "`X-A` and `x-a` are the same header. Keep the spelling that the receiver should see.",
  },
  GW4034: {
    severity: "warning",
    summary: "header that only the gateway writes",
    message: '"{name}" belongs to the connection; the gateway writes it itself, whatever is said here',
    explain:
      "`Content-Length`, `Transfer-Encoding`, `Connection`, `Keep-Alive`, `TE`, `Trailer` and `Upgrade` describe how one message is framed on one connection. What a configuration says of them would break it, and is left out.",
  },
  GW4035: {
    severity: "warning",
    summary: "header added and removed",
    message: '"{name}" is added and then removed, so it is gone',
    explain:
      "Header actions run in the order add, remove, set. What `add` appends, `remove` takes away again.",
  },
  GW4036: {
    severity: "warning",
    summary: "header added and set",
    message: '"{name}" is added and then set, so what is added is lost',
    help: "keep one of the two",
    explain:
      "Header actions run in the order add, remove, set. `set` replaces every line of the field, those that `add` made included.",
  },
  GW4037: {
    severity: "warning",
    summary: "header removed twice",
    message: '"{name}" is removed twice: header names ignore case',
    help: "keep one of the two",
    explain: "`X-A` and `x-a` are the same header; the second removal finds nothing.",
  },
  GW4038: {
    severity: "warning",
    summary: "Content-Encoding beside a changed body",
    message: '"{name}" is not sent: {body} is not in the coding that it names',
    help: "leave it out: the gateway says itself in which coding a body leaves",
    explain: `A filtered body is decoded, and coded again where the client takes it; the gateway then says so. A new \`body\` leaves as it is
written. \`Content-Encoding: gzip\` beside either would have clients undo a coding that is not there, so it is dropped. A body that is coded
already passes with its field:

\`\`\`yaml
response-rewrite:
  body: H4sIAAAAAAAAA0vOyS9OTeECAL/ntJUHAAAA     # gzip
  body_base64: true
  headers: { set: { Content-Encoding: gzip } }
\`\`\``,
  },
  GW4039: {
    severity: "warning",
    summary: "what is said of the old body, sent with a new one",
    message: '"{name}" is that of the upstream\'s body, and {body} is another',
    help: 'leave it out; an ETag may be weak: "W/$upstream_http_etag"',
    explain: `An ETag names the very bytes of a body, a digest is computed of them, and Content-Range says where they belong. With other bytes
caches join parts that do not fit, and clients refuse the body. The gateway removes these fields from a changed body; one that is read from
\`$upstream_http_…\` puts them back.

\`\`\`yaml
response-rewrite:
  filters: [{ regex: internal, replace: public }]
  headers: { set: { ETag: $upstream_http_etag } }     # GW4039
\`\`\``,
  },
  GW4050: {
    severity: "warning",
    summary: "error response that nothing sends",
    message: "{plugin} sends no error response here: this one changes nothing",
    help: "leave it out, or put it at the plugin that turns requests away",
    explain: `\`_meta.error_response\` replaces the body of what a plugin answers when it turns a request away, as \`key-auth\` does without a
key. A plugin that turns nobody away has nothing to replace. One of a package sends the text when its author sees to it: one whose
plan and views never read \`errorResponse\` does not.

\`\`\`yaml
plugins:
  key-auth: { _meta: { error_response: { message: "ask for a key at keys@example.com" } } }
\`\`\``,
  },
  GW4101: {
    severity: "warning",
    summary: "uri and regex_uri together",
    message: "regex_uri has no effect: uri wins",
    help: "keep one of the two",
    explain:
      "`uri` replaces the whole path, so there is nothing left for `regex_uri` to change, and its captures do not exist.",
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
    explain: `The first pair whose pattern matches is applied and the rest are ignored. A pair is never reached if pairs before it match all
paths that it matches. Patterns are compared by what they match, however they are written; back references, and what is too large to
be compared, count as reached.

\`\`\`yaml
regex_uri: ["^/(.*)$", "/app/$1", "^/api/users/(.*)$", "/users/$1"]       # GW4103: put ^/api/users/ first
\`\`\``,
  },
  GW4104: {
    severity: "warning",
    summary: "Host in the headers of proxy-rewrite",
    message: '"Host" in headers.{action} has no effect',
    help: "use `host` of proxy-rewrite",
    explain: `The Host header that the upstream gets is decided by \`host\` of proxy-rewrite and by \`pass_host\` of the upstream.

\`\`\`yaml
proxy-rewrite:
  host: orders.internal
\`\`\``,
  },
  GW4105: {
    severity: "warning",
    summary: "$request_uri inside uri",
    message: '"${name}" in uri brings its query along as part of the path',
    help: "write $uri; the client's query is appended by itself",
    explain:
      "`$request_uri` is the target with its query. Inside a path its `?` is data and is sent as `%3F`. The query of the client is always appended to the new path.",
  },
  GW4106: {
    severity: "error",
    summary: "a target that would never be sent",
    message: '"{uri}" makes a path that is not sent: {reason}',
    help: "write the path that the upstream is to get, without dot segments behind a variable",
    explain: `What \`uri\` and \`regex_uri\` make goes through the gate that a received path goes through (docs/paths.md). A dot segment that
stands behind a variable or a capture leads to what the value decides, so such a request would be answered 400 whatever the value.

\`\`\`yaml
proxy-rewrite:
  uri: /users/$arg_id/../profile      # GW4106
\`\`\``,
  },
  GW4107: {
    severity: "warning",
    summary: "a target that is sent in another spelling",
    message: '"{uri}" is sent as "{form}"',
    help: "write it as it is sent",
    explain:
      "What is sent to an upstream is a path in normal form (docs/paths.md): without dot segments, and with one spelling for each escape.",
  },
  GW4108: {
    severity: "warning",
    summary: "a pattern with what no path has",
    message: 'no path has what "{pattern}" names: it holds it as "{form}"',
    help: "write the escapes",
    explain: `\`regex_uri\` sees the path in normal form (docs/paths.md): blanks and letters beyond ASCII are escapes in it, with upper-case digits.

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
      "Responses with status 204 and 304 end after their headers, and a 205 has no content (RFC 9110); the gateway never sends a body with them.",
  },
  GW4203: {
    severity: "warning",
    summary: "size limit without filters",
    message: '"{field}" has no effect without filters',
    explain:
      "`max_resp_body_size` and `on_oversize` bound the body that filters work on. Without `filters` the body is never held.",
  },
  GW4204: {
    severity: "warning",
    summary: "filter that changes nothing",
    message: "what /{pattern}/ finds is replaced by itself",
    help: "write what it shall become, or leave the filter out",
    explain: `The replacement is the text that the pattern finds, or \`$0\`, the match itself. The body is searched, and may be held, for nothing.

\`\`\`yaml
response-rewrite:
  filters: [{ regex: "cdn\\\\.example\\\\.com", replace: cdn.example.com }]   # GW4204
\`\`\``,
  },
  GW4205: {
    severity: "note",
    advice: true,
    summary: "filter that delays live streams until they end",
    message: "/{pattern}/ keeps a live stream until it ends: {reason}",
    help: "bound what repeats by a count, as in [^>]{0,200}, and leave option u out where bytes do",
    explain: `A filter whose matches have no longest text works on the whole body. Of a response that goes on, such as server-sent events, the client
gets nothing before it ends. Where the route answers no such streams, nothing has to be done.

\`\`\`yaml
response-rewrite:
  filters: [{ regex: "<b[^>]*>", replace: "" }]   # GW4205; write <b[^>]{0,200}>
\`\`\``,
  },
  GW4206: {
    severity: "note",
    advice: true,
    summary: "filter that can delay events of a live stream",
    message: "/{pattern}/ can keep up to {bytes} bytes of a live stream past the end of an event",
    help: 'keep line feeds out of its classes, as in [^"\\n], and do without back references and overlapping repetitions',
    explain: `A filter that streams keeps back the bytes that can begin a match, until it is decided. Here a match can go on behind a line feed, so the end of a
server-sent event, or a line of JSON, can wait for the next one. Nothing is given up after a time, since the result would differ.
Patterns with back references keep that many bytes of every text, and so do those on a linear engine that a match of more bytes depends on
than they backtrack for: \`gwc check --explain\` says for how many they do.

\`\`\`yaml
response-rewrite:
  filters: [{ regex: '"email":"[^"]{0,200}"', replace: '"email":""' }]   # GW4206; write [^"\\n]
\`\`\``,
  },
  GW4207: {
    severity: "warning",
    summary: "status without the field that comes with it",
    message: "a response with status {status} has to have {name}",
    help: "set {name} in headers of response-rewrite",
    explain: `A 401 says by \`WWW-Authenticate\` how to authenticate, a 407 by \`Proxy-Authenticate\`, and a 405 names the methods that there are
in \`Allow\` (RFC 9110). Clients cannot do what the status asks for without it.

\`\`\`yaml
response-rewrite:
  status_code: 401
  headers: { set: { WWW-Authenticate: 'Bearer realm="shop"' } }
\`\`\``,
  },
  GW4209: {
    severity: "warning",
    summary: "header value with the lines of two variables",
    message: 'each line of "${first}" makes a value, and each value holds all lines of "${name}"',
    help: "write two header fields, each with one of the variables",
    explain: `Lines of \`Set-Cookie\`, of the challenges \`WWW-Authenticate\` and \`Proxy-Authenticate\`, of \`Strict-Transport-Security\` and of
\`Public-Key-Pins\` are never joined (RFC 9110 section 5.3). A header value that reads them becomes one value for each line of its first
such variable. Each of these holds all lines of the others, with \`%0A\` between them.

\`\`\`yaml
response-rewrite:
  headers:
    set: { X-A: "$upstream_http_set_cookie; $upstream_http_www_authenticate" }     # GW4209
\`\`\``,
  },
  GW4301: {
    severity: "warning",
    summary: "key-auth without consumers",
    message: "no consumer has a key, so every request is refused",
    help: "add a consumer with plugins: { key-auth: { key: ... } }",
    explain: `\`key-auth\` lets those requests pass that carry the key of a consumer. Without any consumer that has one, the route
answers 401 to everybody.

\`\`\`yaml
consumers:
  - username: mobile-app
    plugins: { key-auth: { key: "\${{MOBILE_APP_KEY}}" } }
\`\`\``,
  },
  GW4302: {
    severity: "error",
    summary: "two consumers with one key",
    message: 'consumers "{username}" and "{other}" have the same key',
    explain: "A key says which consumer sends a request. Two consumers with one key could not be told apart.",
  },
};
