import type { Catalogue } from "../../compiler/plugin-api.js";

/** GW433x: the target of a redirect. */
export const DIAGNOSTICS: Catalogue = {
  GW4330: {
    severity: "warning",
    summary: "a redirect to its own route",
    message: '"{uri}" leads to the path of its own route: clients are redirected in a loop',
    help: "use another path, or set `_meta.filter`; http_to_https: true applies only to requests without TLS",
    explain: `The client follows the redirect, and the route redirects it again. Browsers stop after about 20 redirects.

\`\`\`yaml
uri: /shop
plugins: { redirect: { uri: /shop } }     # GW4330
\`\`\`

The check skips plugins with \`_meta.filter\` and routes with \`vars\`, because these may not match the second request. If the gateway has a listener
for TLS, \`https://$host$request_uri\` is a loop as well; \`http_to_https: true\` does not redirect requests that use TLS.`,
  },
  GW4331: {
    severity: "warning",
    summary: "a status that is not a redirect",
    message: "clients do not follow the Location of a response {status}",
    help: "use 301, 302, 303, 307 or 308",
    explain:
      "301 and 308 say that the move is permanent, 302 and 307 that it is not; 307 and 308 keep the method; after 303 the client asks with GET (RFC 9110 section 15.4).",
  },
  GW4332: {
    severity: "warning",
    summary: "a host that the request chooses",
    message: "the value of ${name} decides to which host clients are redirected",
    help: "write the host, or end it with your own domain: https://$arg_shop.example.com/",
    explain: `A link to your host that redirects to any host is an open redirect, which is used for phishing. \`$host\` is safe, because the
client chose it; values of a query, a header or a cookie are not.

\`\`\`yaml
redirect: { uri: "https://$arg_to/" }                    # GW4332
redirect: { uri: "https://$arg_shop.example.com/" }      # stays below example.com
redirect: { uri: "https://$arg_shop.com/" }              # GW4332: anyone can register a name below .com
\`\`\``,
  },
  GW4333: {
    severity: "error",
    summary: "an invalid host of a redirect",
    message: '"{host}" is not a host with an optional port',
    help: "write a name in letters, digits, hyphens and dots (an international one as xn--…), and an optional port",
    explain: `A URL has a host, with an optional port, between \`//\` and the path. A user in front of the host is rejected, because it makes one host look
like another. A capture and \`$uri\` always begin the path: they cannot be part of a host, an address in brackets or a port.

\`\`\`yaml
redirect: { regex_uri: ["^/to/(.*)", "https://[$1]/"] }                 # GW4333
redirect: { regex_uri: ["^/to/(.*)", "https://new.example.com/$1"] }
\`\`\``,
  },
  GW4335: {
    severity: "error",
    summary: "a scheme that the request chooses",
    message: "{scheme} cannot be the scheme of a URL",
    help: "write https://, or $scheme:// for the scheme of the client; http_to_https: true redirects to https and respects trusted proxies",
    explain: `The value of a variable is escaped as part of a path, so the result would be a path of the same host: \`/https://…\`. Only
\`$scheme\`, which is \`http\` or \`https\`, can be a scheme.

\`\`\`yaml
redirect: { uri: "$http_x_forwarded_proto://$host/new" }   # GW4335
redirect: { uri: "$scheme://$host/new" }
\`\`\``,
  },
  GW4334: {
    severity: "error",
    summary: "http_to_https with append_query_string",
    message: "only one of `http_to_https` and `append_query_string` can be configured",
    help: "remove append_query_string: the query of the request is kept automatically",
    explain: "`http_to_https` redirects a request to its own URL with https, including the query.",
  },
};
