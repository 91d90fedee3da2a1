import type { Catalogue } from "../entry.js";

/** GW302x: upstreams and their nodes. */
export const upstreams: Catalogue = {
  GW3020: {
    severity: "warning",
    summary: "an upstream without nodes",
    message: "{shown} has no nodes: every request to it is answered 503",
    help: 'add at least one node: `nodes: { "10.0.0.1:8080": 1 }`',
    explain: `An upstream without nodes is accepted, since nodes may be written later through the admin API. Until then each request that is
forwarded to it is answered 503.`,
  },
  GW3021: {
    severity: "warning",
    summary: "an upstream whose nodes all have weight 0",
    message: "all nodes of {shown} have weight 0: every request to it is answered 503",
    help: "give at least one node a weight of 1 or more",
    explain: `A node of weight 0 gets no requests. When every node has weight 0 the upstream can serve none.`,
  },
  GW3024: {
    severity: "error",
    summary: "a node with a bad port",
    message: '"{address}" has no port between 1 and 65535',
    explain: `A node is written \`"host:port": weight\` or \`{ host, port, weight }\`. Without a port it is 80, or 443 when the scheme is https.`,
  },
  GW3025: {
    severity: "error",
    summary: "an IPv6 node without brackets",
    message: 'IPv6 address "{address}" must be enclosed with "[" and "]"',
    explain: `Without brackets nothing tells the last group of an IPv6 address from a port. Write \`"[2001:db8::1]:8080": 1\`, or
\`{ host: "[2001:db8::1]", port: 8080, weight: 1 }\`.`,
  },
  GW3026: {
    severity: "error",
    summary: "a node that is neither a name nor an address",
    message: '"{address}" is not a host name or an IP address',
    help: "a node is a host and a port, without scheme and path",
    explain: `\`"http://10.0.0.1:80/api": 1\` is a URL. The scheme is the upstream's \`scheme\`, and a path is added by a plugin that rewrites it.`,
  },
  GW3027: {
    severity: "warning",
    summary: "a node listed twice",
    message: 'node "{address}" is listed twice',
    help: "to give a node a larger share, raise its weight",
    explain: `The same host and port twice counts as two nodes: it gets both shares, and a retry may go to the address that just failed.`,
  },
  GW3029: {
    severity: "warning",
    summary: "an inline upstream that is never used",
    message: '{kind} "{id}" has both "upstream" and "upstream_id": "upstream_id" wins',
    help: "keep one of the two",
    explain: `A route or service forwards to one upstream. When both forms are given the one named by id is used and the inline one is ignored.`,
  },
};
