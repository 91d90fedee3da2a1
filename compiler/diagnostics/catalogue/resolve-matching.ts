import type { Catalogue } from "../diagnostic.js";

/** GW304x, GW3033 to GW3036 and GW3071: matching of routes. */
export const matching: Catalogue = {
  GW3033: {
    severity: "warning",
    summary: "a path with an escaped slash whose requests are answered 400",
    message:
      'requests for "{uri}" are answered 400: the route does not take "{reading}", which upstreams may read in it',
    help: 'list both paths in "uris", or set gw.path.escaped_slashes',
    explain: `An upstream may decode \`%2F\` or read a backslash as a slash, and then serve a resource that another route protects. So such a
request passes only where the same route, with the same plugins, takes the path as received and with separators in their place
(docs/paths.md); all others are answered 400.

\`\`\`yaml
routes:
  - { id: a, uri: /group%2Fname, upstream_id: a }                   # GW3033: no route takes /group/name
  - { id: b, uris: [/team%2Fname, /team/name], upstream_id: a }     # passes
\`\`\``,
  },
  GW3034: {
    severity: "warning",
    summary: "a named star that does not stand for the rest of the path",
    message: '"{star}" in "{uri}" names nothing: the star stands for any text, and "{rest}" has to follow it',
    help: 'write the name behind a slash at the end of the path ("/a/*rest"), elsewhere a "*" alone or ":name"',
    explain: `\`*name\` gives the rest of the path to \`$uri_param_name\` where it comes behind a slash and ends the path. Anywhere else the
star is a wildcard and the name is text.

\`\`\`yaml
routes:
  - { id: a, uri: /files/*rest, upstream_id: a }      # /files/x/y: $uri_param_rest is x/y
  - { id: b, uri: /old/*rest/info, upstream_id: a }   # GW3034: takes /old/1/rest/info, not /old/1/info
\`\`\``,
  },
  GW3035: {
    severity: "warning",
    summary: "a path parameter whose name goes on with other characters",
    message: '"{parameter}" in "{uri}" takes any segment: the name of the parameter is "{name}"',
    help: 'give the parameter the whole segment ("/:name") and test its text in vars: ["uri_param_name", "~~", "[.]json$"]',
    explain: `\`:name\` takes one whole segment; its name goes up to the next slash or star. What follows it in the segment is part of the name
and is not compared.

\`\`\`yaml
routes:
  - { id: a, uri: "/items/:id.json", upstream_id: a }   # GW3035: takes /items/7 and /items/7.xml too
  - id: b
    uri: "/items/:id"
    vars: [["uri_param_id", "~~", "[.]json$"]]
    upstream_id: a
\`\`\``,
  },
  GW3036: {
    severity: "warning",
    summary: "pattern syntax of other routers, which is text here",
    message: '"{text}" in "{uri}" is compared as text',
    help: 'write ":name" for a segment, "*" for any text, and a regular expression as a condition on "uri" in vars',
    explain: `Path patterns know \`:name\`, \`*name\` and \`*\`. Braces, angle brackets and regular expressions are characters like any other, so
the route takes only requests that have them in their path.

\`\`\`yaml
routes:
  - { id: a, uri: "/users/{id}", upstream_id: a }   # GW3036: takes /users/%7Bid%7D
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
literal prefix), then by priority, longer pattern and order. A route is dead when, for each of its hosts and paths, routes without conditions of
their own, or with the same ones, are tried before it and take all of its methods.

\`\`\`yaml
routes:
  - { id: all, uri: /api/*, priority: 10, upstream_id: a }
  - { id: read, uri: /api/*, methods: [GET], upstream_id: b }   # GW3040
\`\`\`

\`gwc route GET /api/1\` shows which route answers and why.`,
  },
  GW3046: {
    severity: "warning",
    summary: "a path of a route that no request can reach",
    message: 'no request for "{uri}" reaches route "{id}": route "{other}" always matches first',
    help: "leave the path out, or raise the route's priority",
    explain: `As GW3040, for one of several paths: the others of the route are reached.

\`\`\`yaml
routes:
  - { id: health, uri: /health, priority: 10, upstream_id: a }
  - { id: shop, uris: [/shop/*, /health], upstream_id: b }   # GW3046: /health is taken by route "health"
\`\`\``,
  },
  GW3047: {
    severity: "warning",
    summary: "a priority that decides nothing",
    message: 'priority {priority} of route "{id}" changes nothing: {reason}',
    help: "leave it out: priorities decide only between routes of one host whose paths begin with the same literal part",
    explain: `A route is chosen by its host, then by its path (exact, then the longest literal beginning), and only then by priority. This one has no
route to compete with, and one for the same requests comes first, or last, whatever the numbers are.

\`\`\`yaml
routes:
  - { id: api, uri: /api/*, priority: 10, upstream_id: a }   # GW3047
  - { id: health, uri: /api/health, upstream_id: b }         # takes /api/health
\`\`\`

For route \`api\` to answer /api/health too, remove route \`health\`, give it a condition, or write \`uris: [/api/*, /api/health]\`, where the priority decides.`,
  },
  GW3041: {
    severity: "warning",
    summary: "two routes that match the same requests",
    message: 'route "{id}" matches the same requests as route "{other}", which is always tried first',
    help: "give the one that should win a higher priority, or remove one of the two",
    explain: `Both routes have the same hosts, paths and priority, and neither has a condition that sets it apart, so only the order of
registration decides: routes of files as written, then stored ones by id.`,
  },
  GW3042: {
    severity: "error",
    summary: "a host that no request can have",
    message: 'host "{host}" can never match: {reason}',
    explain: `A route's host is compared with the Host of the request: without port, in lower case. A leading \`*\` stands for any beginning:
\`*.example.com\` fits every name below example.com, \`*example.com\` also example.com itself. A \`*\` elsewhere is no wildcard.`,
  },
  GW3043: {
    severity: "warning",
    summary: "a host or path listed twice",
    message: '{field} "{value}" is listed twice',
    explain: `Hosts are compared without regard to case, so \`Example.com\` and \`example.com\` are the same entry; so are
\`/users/:id\` and \`/users/:name\`, since a name does not change what matches. The second one has no effect.`,
  },
  GW3044: {
    severity: "warning",
    summary: "a path that no request can have",
    message: 'path "{uri}" never matches: {reason}',
    explain: `What routes are matched on is the path of the request in normal form (docs/paths.md), without its query: dot segments are
resolved, and a path that leads above the root or hides a dot segment is answered 400. A pattern that holds such a thing fits no request.`,
  },
  GW3045: {
    severity: "warning",
    summary: "a path that is compared in another spelling",
    message: 'path "{uri}" is compared as "{form}"',
    help: "write it as it is compared",
    explain: `Routes and requests are compared in one normal form (docs/paths.md): dot segments are resolved, escaped letters, digits, \`-\`,
\`.\`, \`_\` and \`~\` are decoded, other escapes are written with upper-case digits, and reserved characters that may stand in a segment stand for themselves.
So the route takes the same requests however its path and theirs are spelled.

\`\`\`yaml
routes:
  - { id: menu, uri: /caf%c3%a9/%41, upstream_id: a }   # GW3045: compared as /caf%C3%A9/A
\`\`\``,
  },
  GW3071: {
    severity: "warning",
    summary: "a condition on a value that no request has",
    message: '"{name}" {verb} "{value}": {reason}',
    explain: `A comparison with a value that its variable never has does not hold for any request, and its opposite (\`~=\`, \`!\`) holds for all.
Hosts are in lower case and without port, methods are as clients send them, \`scheme\` is \`http\` or \`https\`, addresses are single ones in their
shortest spelling, and paths are in normal form and without query. Patterns are looked at, too.

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
    message: "this is a standalone file of APISIX: its resources are read, and #END is a comment",
    help: 'give each route an id, and remove #END once the file is gwc\'s: "From APISIX" in docs/migration.md',
    explain: `A standalone file (\`apisix.yaml\`) has the resources of the admin API in lists and ends with \`#END\`. The same lists are a configuration
of gwc, so it is checked and served like any other. There, an id may be left out, and APISIX reads its own settings from \`config.yaml\`;
here, resources have ids, and settings are in \`deployment\` and \`gw\`.`,
  },
};
