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
};
