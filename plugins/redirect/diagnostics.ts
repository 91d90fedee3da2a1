import type { Catalogue } from "../../compiler/diagnostics/diagnostic.js";

/** GW433x: the target of a redirect. */
export const DIAGNOSTICS: Catalogue = {
  GW4330: {
    severity: "warning",
    summary: "a redirection to itself",
    message: '"{uri}" leads to the path of its own route: a client that follows it comes back for ever',
    help: "name another path, or give the plugin a `_meta.filter`; http_to_https: true is for requests without TLS alone",
    explain: `What comes back is the request that was redirected, and the route redirects it again. Browsers give up after about 20 turns.

\`\`\`yaml
uri: /shop
plugins: { redirect: { uri: /shop } }     # GW4330
\`\`\`

With \`_meta.filter\`, or \`vars\` of the route, the second request may be another one, and nothing is said. Where the gateway has a listener for TLS,
\`https://$host$request_uri\` comes back to it too: \`http_to_https: true\` lets requests pass that came with TLS.`,
  },
  GW4331: {
    severity: "warning",
    summary: "a status that redirects nobody",
    message: "clients do not follow the Location of a response {status}",
    help: "use 301, 302, 303, 307 or 308",
    explain:
      "301 and 308 say that the move is permanent, 302 and 307 that it is not; 307 and 308 keep the method; after 303 the client asks with GET (RFC 9110 section 15.4).",
  },
  GW4332: {
    severity: "warning",
    summary: "a host that the request chooses",
    message: "what ${name} brings decides to which host clients are sent",
    help: "name the host, or end it with a domain of your own: https://$arg_shop.example.com/",
    explain: `A link to your host that leads wherever its author likes is an open redirection, which phishing lives on. \`$host\` is what the client
asked for itself; a value of a query, a header or a cookie is not.

\`\`\`yaml
redirect: { uri: "https://$arg_to/" }                    # GW4332
redirect: { uri: "https://$arg_shop.example.com/" }      # stays below example.com
redirect: { uri: "https://$arg_shop.com/" }              # GW4332: anybody can have a name below .com
\`\`\``,
  },
  GW4333: {
    severity: "error",
    summary: "an invalid host of a redirection",
    message: '"{host}" is no host with an optional port',
    help: "write a name in letters, digits, hyphens and dots (an international one as xn--…), and a port if need be",
    explain: `Between \`//\` and the path of a URL stands a host, with a port if need be. A user before the host is refused too: it makes one host look like
another. A capture and \`$uri\` always begin the path: they are no part of a host, of an address in brackets or of a port.

\`\`\`yaml
redirect: { regex_uri: ["^/to/(.*)", "https://[$1]/"] }                 # GW4333
redirect: { regex_uri: ["^/to/(.*)", "https://new.example.com/$1"] }
\`\`\``,
  },
  GW4335: {
    severity: "error",
    summary: "a scheme that the request chooses",
    message: "{scheme} cannot be the scheme of a URL",
    help: "write https://, or $scheme:// for the scheme that the client uses; http_to_https: true leads to https and believes trusted proxies",
    explain: `What a variable brings names neither a scheme nor a host, so the whole would be a path of the host that was asked: \`/https://…\`. Only
\`$scheme\`, which is \`http\` or \`https\`, may stand there.

\`\`\`yaml
redirect: { uri: "$http_x_forwarded_proto://$host/new" }   # GW4335
redirect: { uri: "$scheme://$host/new" }
\`\`\``,
  },
  GW4334: {
    severity: "error",
    summary: "http_to_https with append_query_string",
    message: "only one of `http_to_https` and `append_query_string` can be configured",
    help: "leave append_query_string out: the query of the request comes along by itself",
    explain: "`http_to_https` sends a request to its own URL, query included.",
  },
};
