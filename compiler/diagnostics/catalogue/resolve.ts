import type { Catalogue } from "../../model/diagnostic.js";
import { certificates } from "./resolve-certificates.js";
import { matching } from "./resolve-matching.js";

/** GW302x: upstreams and their nodes. */
const upstreams: Catalogue = {
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

const references: Catalogue = {
  GW3001: {
    severity: "error",
    summary: "an id is used twice",
    message: '{kind} "{id}" is defined twice',
    help: "rename or remove one of the two: ids of one kind are unique",
    explain: `Ids of one kind are unique; 1 and "1" are the same id.

\`\`\`yaml
upstreams:
  - { id: orders, nodes: { "10.0.0.1:80": 1 } }
  - { id: orders, nodes: { "10.0.0.2:80": 1 } }
\`\`\`

Neither of the two takes precedence. Write several nodes of one upstream in one \`nodes\`.`,
  },
  GW3002: {
    severity: "error",
    summary: "an id exists in a file and in the store",
    message: '{kind} "{id}" is in a file and in the store',
    help: "remove it from the file, or let the file take it over: `gwc adopt {kinds}/{id}`",
    explain: `Resources of files are static, and resources written through the admin API are in the store. Neither takes precedence, so
gwc rejects an id that is in both. It rejects a reload that would cause this as a whole, and keeps the running
configuration.`,
  },
  GW3003: {
    severity: "error",
    summary: "a write to a resource that a file defines",
    message: '{kind} "{id}" is defined in {place} and cannot be changed through the admin API',
    help: "change the file and reload, or remove it from the file to write it through the admin API",
    explain: `Resources of configuration files are static. The admin API cannot write or delete them, because the next start would
restore the version of the file.`,
  },
  GW3004: {
    severity: "error",
    summary: "a resource that is deleted while it is used",
    message: '{kind} "{id}" is still used by {user}',
    help: "delete or change its users first",
    explain: `Deleting a service, upstream or plugin_config that a route or service refers to would break that route; deleting a
captcha_customer would leave its keys without an owner. The check and the delete are one atomic step.`,
  },
  GW3005: {
    severity: "error",
    summary: "a deployment setting in two files",
    message: '"{setting}" is set in two files',
    help: "keep it in one of them",
    explain: `All files form one configuration, in which each setting of \`gw\` and \`deployment\` occurs once. No file takes
precedence.`,
  },
  GW3010: {
    severity: "error",
    summary: "a reference to a resource that does not exist",
    message: '"{field}" refers to {kind} "{id}", which does not exist',
    explain: `A \`service_id\`, \`upstream_id\` or \`plugin_config_id\`, and the \`customer\` of a captcha key, must refer to a resource of the same configuration, in the files or in the store.

\`\`\`yaml
routes:
  - { id: shop, uri: /*, upstream_id: order }   # GW3010: the id of the upstream is "orders"
upstreams:
  - { id: orders, nodes: { "10.0.0.1:80": 1 } }
\`\`\``,
  },
  GW3011: {
    severity: "warning",
    summary: "a resource that nothing uses",
    message: '{kind} "{id}" is not used',
    help: "remove it, or refer to it where it is to be used",
    explain: `A service, upstream or plugin_config in a file that no route or service refers to, and a captcha_customer without keys,
have no effect. Often a route refers to another one by mistake. Stored resources are not reported, because they are written before their users.`,
  },
  GW3012: {
    severity: "warning",
    summary: "a consumer without credentials",
    message: 'consumer "{id}" has no effect: it has no credentials',
    help: "give it a key: plugins: { key-auth: { key: ... } }",
    explain: `An authentication plugin identifies the consumer of a request by its credentials. This consumer has none.

\`\`\`yaml
consumers:
  - username: mobile-app
    plugins: { key-auth: { key: "\${{MOBILE_APP_KEY}}" } }
\`\`\``,
  },
  GW3013: {
    severity: "warning",
    summary: "a certificate without a TLS listener",
    message: 'ssl "{id}" has no effect: the gateway does not listen for TLS',
    help: "add a listener for TLS: gw: { ssl: { listen: [9443] } }",
    explain: `Certificates are used by the listeners of \`gw.ssl.listen\`, and this configuration has none. The ssl resource is checked, but not used.`,
  },
  GW3014: {
    severity: "warning",
    summary: "a reference to something deleted by force",
    message: '"{field}" refers to {kind} "{id}", which was deleted by force: {effect}',
    help: "write it again, or refer to another one",
    explain: `\`DELETE …?force=true\` deletes a resource that others still refer to. They stay unchanged and work again once
the resource is written again. Until then no request bypasses the protection of the missing resource: requests of a route whose
plugin_config is missing are rejected with 503, and of one whose service is missing with 404, even if the route has its own upstream.
Of the plugins of the route only loggers run. A new or changed resource that refers to it is rejected (GW3010).`,
  },
  GW3015: {
    severity: "warning",
    summary: "a consumer without a route that authenticates",
    message: 'consumer "{id}" has no effect: no route authenticates clients',
    help: "add an authentication plugin to the routes that it may use",
    explain: `An authentication plugin of a route identifies the consumer of a request. If no route has such a plugin, all clients have
access to all routes, and the consumer has no effect.`,
  },
  GW3016: {
    severity: "error",
    summary: "a secret whose environment variable is not set",
    message: "the environment variable {name} is not set, and {place} needs it",
    help: "set it for the processes of the gateway, or write ${{{name}:=default}}",
    explain: `The gateway reports this at a start, at a reload and at a write through the admin API. Without the secret, every request of a
consumer would be rejected with 401, and a logger could not authenticate. An empty variable counts as not set.

\`\`\`yaml
consumers:
  - username: mobile-app
    plugins: { key-auth: { key: "\${{MOBILE_APP_KEY}}" } }   # GW3016 unless MOBILE_APP_KEY is set
\`\`\``,
  },
  GW3017: {
    severity: "note",
    summary: "a secret whose environment variable is not set here",
    message: "the environment variable {name} is not set here, and {place} needs it when the gateway runs",
    explain: `\`gwc check\` and \`gwc build\` need no secrets, so this is not a mistake, even with \`--strict\`. The note lists a variable that
the gateway needs in order to start (GW3016).`,
  },
  GW3018: {
    severity: "note",
    summary: "plain-text secrets",
    message: "plain-text secret: {place}{others}",
    help: "write ${{VAR}} instead: the gateway resolves it from the environment when it runs",
    explain: `Everyone who can read the file, its copies or its history knows the secret. A variable keeps the secret out of them:

\`\`\`yaml
consumers:
  - username: mobile-app
    plugins: { key-auth: { key: "\${{MOBILE_APP_KEY}}" } }
\`\`\`

\`gwc check\` reports this once for each file. It is not a mistake, even with \`--strict\`, if the file is never copied. A build contains no secrets (GW6108, GW6109).`,
  },
  GW3030: {
    severity: "warning",
    summary: "a route that leads nowhere",
    message: 'route "{id}" has no upstream: every request is rejected with 503',
    help: 'set "upstream_id", "upstream" or a "service_id" that has one',
    explain: `A route forwards to its own upstream or to that of its service. If it has neither, and no plugin makes a local reply, each
request is rejected with 503.`,
  },
  GW3031: {
    severity: "error",
    summary: "a plugin in two global rules",
    message: 'plugin "{plugin}" is already in global_rule "{other}"',
    help: "keep the plugin in one global rule",
    explain: `Global rules run for every request, so a plugin in two of them would run twice with different settings. A plugin with
\`_meta.disable: true\` does not count.`,
  },
  GW3032: {
    severity: "warning",
    summary: "a plugin that overrides more than it sets",
    message: 'plugin "{plugin}" of route "{id}" overrides that of {owner} as a whole and drops its {fields}',
    help: "repeat the fields that apply to this route too, and write the default of those that do not",
    explain: `A plugin of a route overrides the same plugin of its plugin_config or service as a whole: settings are not merged.

\`\`\`yaml
services:
  - { id: shop, plugins: { response-rewrite: { headers: { set: { X-Frame-Options: DENY } } } } }
routes:
  - id: page
    uri: /page
    service_id: shop
    plugins: { response-rewrite: { filters: [{ regex: a, replace: b }] } }   # GW3032: without X-Frame-Options
\`\`\`

The check skips fields that both set, defaults that the plugin of the route has as well, disabled plugins, and settings that exclude each
other, such as \`body\` and \`filters\`, because these are overridden on purpose.`,
  },
};

export const resolve: Catalogue = { ...references, ...upstreams, ...certificates, ...matching };
