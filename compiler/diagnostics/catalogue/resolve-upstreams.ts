import type { Catalogue } from "../../model/diagnostic.js";

/** GW302x: upstreams and their nodes. */
export const upstreams: Catalogue = {
  GW3020: {
    severity: "warning",
    summary: "an upstream without nodes",
    message: "{shown} has no nodes: every request to it is rejected with 503",
    help: 'add at least one node: `nodes: { "10.0.0.1:8080": 1 }`',
    explain: `gwc accepts an upstream without nodes, because the admin API may add nodes later. Until then each request for it is rejected
with 503.`,
  },
  GW3021: {
    severity: "warning",
    summary: "an upstream whose nodes all have weight 0",
    message: "all nodes of {shown} have weight 0: every request to it is rejected with 503",
    help: "give at least one node a weight of 1 or more",
    explain: `A node of weight 0 receives no requests. If every node has weight 0, the upstream cannot serve any.`,
  },
  GW3022: {
    severity: "warning",
    summary: "a node listed twice",
    message: 'node "{address}" is listed twice',
    help: "raise the weight of a node to give it a larger share",
    explain: `An address that is listed twice counts as two nodes: it receives both shares, and a retry may go to the address that just failed.`,
  },
  GW3023: {
    severity: "warning",
    summary: "an inline upstream that is never used",
    message: '{kind} "{id}" has both "upstream" and "upstream_id": "upstream_id" takes precedence',
    help: "keep one of the two",
    explain: `A route or service forwards to one upstream. If both forms are set, the one of "upstream_id" is used and the inline one is ignored.`,
  },
  GW3024: {
    severity: "warning",
    summary: "a route that sends its requests to itself",
    message:
      'node "{address}" is the gateway itself ({setting}), so route "{id}" receives its own requests again',
    help: "write the address of the intended server",
    explain: `The address is a listener of this gateway, and the route forwards requests unchanged, so the same route receives each request
again. One request uses up all connections, until each of them ends with 504 or 503.

\`\`\`yaml
gw: { node_listen: 9080 }
routes:
  - { id: shop, uri: /*, upstream: { nodes: { "localhost:9080": 1 } } }   # GW3024
\`\`\`

The check skips routes whose requests may match another route the second time: if a plugin or \`pass_host\` changes the path, method or host, or if the
route, or another one for such a path, has \`vars\` or \`remote_addrs\`. It knows only listeners in the files, so it needs \`gw\` in them.`,
  },
  GW3025: {
    severity: "warning",
    summary: "a route that leads to the admin API",
    message:
      'node "{address}" is the admin API of this gateway ({setting}), and route "{id}" is open to all clients',
    help: "use another server, or authenticate clients: plugins: { key-auth: {} }",
    explain: `\`allow_admin\` checks the source address of a connection. Through a route this is the address of the gateway itself, so all clients of
the route pass, and only the admin key protects the API. The check skips routes that authenticate clients, or have \`remote_addrs\` or \`vars\`.`,
  },
};
