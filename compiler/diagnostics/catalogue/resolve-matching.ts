import type { Catalogue } from "../../model/diagnostic.js";

/** GW304x, GW3033 to GW3036 and GW3071: matching of routes. */
export const matching: Catalogue = {
  GW3033: {
    severity: "warning",
    summary: "a path with an escaped slash whose requests are rejected with 400",
    message:
      'requests for "{uri}" are rejected with 400: the route does not match "{reading}", as which upstreams may interpret it',
    help: 'list both paths in "uris", or set gw.path.escaped_slashes',
    explain: `An upstream may decode \`%2F\` or read a backslash as a slash, and then serve a resource that another route protects. Such a
request therefore passes only if one route, with the same plugins, matches both the received path and the path with real separators
(docs/paths.md). All others are rejected with 400.

\`\`\`yaml
routes:
  - { id: a, uri: /group%2Fname, upstream_id: a }                   # GW3033: no route matches /group/name
  - { id: b, uris: [/team%2Fname, /team/name], upstream_id: a }     # passes
\`\`\``,
  },
  GW3034: {
    severity: "warning",
    summary: "a named star that does not match the rest of the path",
    message: '"{star}" in "{uri}" is not a parameter: the star matches any text, and "{rest}" must follow it',
    help: 'write the name after a slash at the end of the path ("/a/*rest"); elsewhere use "*" without a name, or ":name"',
    explain: `\`*name\` sets \`$uri_param_name\` to the rest of the path if it follows a slash and ends the path. Elsewhere the star is a
wildcard and the name is text.

\`\`\`yaml
routes:
  - { id: a, uri: /files/*rest, upstream_id: a }      # /files/x/y: $uri_param_rest is x/y
  - { id: b, uri: /old/*rest/info, upstream_id: a }   # GW3034: matches /old/1/rest/info, not /old/1/info
\`\`\``,
  },
  GW3035: {
    severity: "warning",
    summary: "a path parameter whose name contains other characters",
    message: '"{parameter}" in "{uri}" matches any segment: the name of the parameter is "{name}"',
    help: 'use the whole segment as the parameter ("/:name") and test its text in vars: ["uri_param_name", "~~", "[.]json$"]',
    explain: `\`:name\` matches one whole segment; its name extends to the next slash or star. Other characters in the segment are part of the
name and are not compared.

\`\`\`yaml
routes:
  - { id: a, uri: "/items/:id.json", upstream_id: a }   # GW3035: matches /items/7 and /items/7.xml too
  - id: b
    uri: "/items/:id"
    vars: [["uri_param_id", "~~", "[.]json$"]]
    upstream_id: a
\`\`\``,
  },
  GW3036: {
    severity: "warning",
    summary: "pattern syntax of other routers, which is text in gwc",
    message: '"{text}" in "{uri}" is compared as text',
    help: 'write ":name" for a segment, "*" for any text, and a regular expression as a condition on "uri" in vars',
    explain: `Path patterns support \`:name\`, \`*name\` and \`*\`. Braces, angle brackets and regular expressions are ordinary characters, so the
route matches only requests that have them in their path.

\`\`\`yaml
routes:
  - { id: a, uri: "/users/{id}", upstream_id: a }   # GW3036: matches /users/%7Bid%7D
  - { id: b, uri: "/users/:id", upstream_id: a }
  - { id: c, uri: /orders/*, vars: [["uri", "~~", "^/orders/[0-9]+$"]], upstream_id: a }
\`\`\``,
  },
  GW3040: {
    severity: "warning",
    summary: "a route that no request can reach",
    message: 'no request reaches route "{id}": {before} first',
    help: "raise its priority, give it a narrower host or path, or remove it",
    explain: `Routes are tried host first (exact, then the longest wildcard, then routes without a host), then by path (exact, then the longest
literal prefix), then by priority, longer pattern and order. A route is shadowed if, for each of its hosts and paths, routes without conditions, or
with the same conditions, are tried before it and match all of its methods.

\`\`\`yaml
routes:
  - { id: all, uri: /api/*, priority: 10, upstream_id: a }
  - { id: read, uri: /api/*, methods: [GET], upstream_id: b }   # GW3040
\`\`\`

\`gwc route GET /api/1\` shows which route matches and why.`,
  },
  GW3046: {
    severity: "warning",
    summary: "a path of a route that no request can reach",
    message: 'no request for "{uri}" reaches route "{id}": route "{other}" always matches first',
    help: "remove the path, or raise the priority of the route",
    explain: `As GW3040, for one of several paths: requests reach the other paths of the route.

\`\`\`yaml
routes:
  - { id: health, uri: /health, priority: 10, upstream_id: a }
  - { id: shop, uris: [/shop/*, /health], upstream_id: b }   # GW3046: route "health" matches /health
\`\`\``,
  },
  GW3047: {
    severity: "warning",
    summary: "a priority without effect",
    message: 'priority {priority} of route "{id}" has no effect: {reason}',
    help: "remove it: priorities only order routes of one host whose paths begin with the same literal part",
    explain: `A route is chosen by its host, then by its path (exact, then the longest literal beginning), and only then by priority. No overlapping
route is ordered by this priority: another route for the same requests is tried before or after it in any case.

\`\`\`yaml
routes:
  - { id: api, uri: /api/*, priority: 10, upstream_id: a }   # GW3047
  - { id: health, uri: /api/health, upstream_id: b }         # matches /api/health
\`\`\`

For route \`api\` to serve /api/health too, remove route \`health\`, give it a condition, or write \`uris: [/api/*, /api/health]\`, which the priority orders.`,
  },
  GW3041: {
    severity: "warning",
    summary: "two routes that match the same requests",
    message: 'route "{id}" matches the same requests as route "{other}", which is always tried first',
    help: "give one of them a higher priority, or remove one of the two",
    explain: `Both routes have the same hosts, paths and priority, and no condition distinguishes them, so only their order counts: first
routes of files in their order, then routes of the store by id.`,
  },
  GW3042: {
    severity: "error",
    summary: "a host that no request can have",
    message: 'host "{host}" can never match: {reason}',
    explain: `A route's host is compared with the Host of the request: without port, in lower case. A leading \`*\` matches any
text: \`*.example.com\` matches every name below example.com, \`*example.com\` also example.com itself. A \`*\` elsewhere is not a wildcard.`,
  },
  GW3043: {
    severity: "warning",
    summary: "a host or path listed twice",
    message: '{field} "{value}" is listed twice',
    explain: `Hosts are compared without regard to case, so \`Example.com\` and \`example.com\` are the same entry. So are \`/users/:id\` and
\`/users/:name\`, because both match the same paths. The second entry has no effect.`,
  },
  GW3044: {
    severity: "warning",
    summary: "a path that no request can have",
    message: 'path "{uri}" never matches: {reason}',
    explain: `Routes match the normalized path of a request (docs/paths.md), without its query. Dot segments are resolved, and a path that
leads above the root or contains a disguised dot segment is rejected with 400. A pattern with such a part matches no request.`,
  },
  GW3045: {
    severity: "warning",
    summary: "a path that is compared in a different spelling",
    message: 'path "{uri}" is compared as "{form}"',
    help: "write it in the form in which it is compared",
    explain: `The paths of routes and requests are normalized before they are compared (docs/paths.md): dot segments are resolved, escaped letters, digits, \`-\`,
\`.\`, \`_\` and \`~\` are decoded, other escapes are written with upper-case digits, and reserved characters that a segment may contain are not escaped.
The spelling of the path therefore does not change which requests the route matches.

\`\`\`yaml
routes:
  - { id: menu, uri: /caf%c3%a9/%41, upstream_id: a }   # GW3045: compared as /caf%C3%A9/A
\`\`\``,
  },
  GW3071: {
    severity: "warning",
    summary: "a condition with a value that no request has",
    message: '"{name}" {verb} "{value}": {reason}',
    explain: `A comparison with a value that its variable never has is false for every request, and its opposite (\`~=\`, \`!\`) is true for all.
Hosts are in lower case and without port, methods are as clients send them, \`scheme\` is \`http\` or \`https\`, addresses are single ones in their
shortest spelling, and paths are normalized and have no query. Regex patterns are checked as well.

\`\`\`yaml
vars: [[remote_addr, ==, "10.0.0.0/8"]]            # GW3071: write [remote_addr, ipmatch, "10.0.0.0/8"]
vars: [[request_method, in, [get, post]]]          # GW3071: write [GET, POST]
vars: [[scheme, ==, HTTPS]]                        # GW3071: write https
vars: [[host, ==, "Shop.example.com:8443"]]        # GW3071: write shop.example.com
vars: [[uri, ~~, "^api/"]]                         # GW3071: write ^/api/
\`\`\``,
  },
  GW3073: {
    severity: "note",
    summary: "a standalone file of APISIX",
    message: "this is a standalone file of APISIX: gwc reads its resources, and #END is a comment",
    help: 'give each route an id, and remove #END once the file is gwc\'s: "From APISIX" in docs/migration.md',
    explain: `A standalone file (\`apisix.yaml\`) has the resources of the admin API in lists and ends with \`#END\`. The same lists are a configuration
of gwc, so it is checked and served like any other. In APISIX an id is optional, and its settings are in \`config.yaml\`; in gwc
resources need ids, and settings are in \`deployment\` and \`gw\`.`,
  },
};
