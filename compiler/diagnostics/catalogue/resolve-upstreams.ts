import type { Catalogue } from "../diagnostic.js";

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
  GW3022: {
    severity: "warning",
    summary: "a node listed twice",
    message: 'node "{address}" is listed twice',
    help: "to give a node a larger share, raise its weight",
    explain: `The same host and port twice counts as two nodes: it gets both shares, and a retry may go to the address that just failed.`,
  },
  GW3023: {
    severity: "warning",
    summary: "an inline upstream that is never used",
    message: '{kind} "{id}" has both "upstream" and "upstream_id": "upstream_id" wins',
    help: "keep one of the two",
    explain: `A route or service forwards to one upstream. When both forms are given the one named by id is used and the inline one is ignored.`,
  },
  GW3024: {
    severity: "warning",
    summary: "a route that sends its requests to itself",
    message:
      'node "{address}" is the gateway itself ({setting}), so route "{id}" gets its own requests again',
    help: "name the address of the server that is meant",
    explain: `The address is a listener of this gateway, and the route sends on what it gets as it is, so the same route takes each request
once more: one request becomes as many as there are connections, and all end with 504 or 503.

\`\`\`yaml
gw: { node_listen: 9080 }
routes:
  - { id: shop, uri: /*, upstream: { nodes: { "localhost:9080": 1 } } }   # GW3024
\`\`\`

Nothing is said where the request may go another way the second time: where a plugin changes its path, method or host, where \`pass_host\` does, where the
route has \`vars\` or \`remote_addrs\`, or another one for such a path has. Only listeners of the files are known, so without \`gw\` in them there is nothing to compare.`,
  },
  GW3025: {
    severity: "warning",
    summary: "a route that leads to the admin API",
    message:
      'node "{address}" is the admin API of this gateway ({setting}), and route "{id}" lets everybody send requests to it',
    help: "name another server, or ask who the client is: plugins: { key-auth: {} }",
    explain: `\`allow_admin\` compares the address that a connection comes from. Through a route that is the gateway's own, so everybody passes
who may use the route, and what is left is the admin key. Nothing is said of a route that asks who the client is, or has \`remote_addrs\` or \`vars\`.`,
  },
};
