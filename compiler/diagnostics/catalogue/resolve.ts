import type { Catalogue } from "../diagnostic.js";
import { certificates } from "./resolve-certificates.js";
import { matching } from "./resolve-matching.js";
import { upstreams } from "./resolve-upstreams.js";

const references: Catalogue = {
  GW3001: {
    severity: "error",
    summary: "an id is taken twice",
    message: '{kind} "{id}" is defined twice',
    help: "ids of one kind differ; rename one of the two, or remove it",
    explain: `Every resource of a kind has an id of its own; 1 and "1" are the same id.

\`\`\`yaml
upstreams:
  - { id: orders, nodes: { "10.0.0.1:80": 1 } }
  - { id: orders, nodes: { "10.0.0.2:80": 1 } }
\`\`\`

Nothing says which of the two is meant. Two nodes of one upstream are written in one \`nodes\`.`,
  },
  GW3002: {
    severity: "error",
    summary: "an id exists in a file and in the store",
    message: '{kind} "{id}" is in a file and in the store',
    help: "remove it from the file, or let the files take it over: `gwc adopt {kinds}/{id}`",
    explain: `Resources from files are static, resources written through the admin API live in the store, and nothing wins
silently: an id that appears in both is refused, with both places named. A file reload that would cause it is refused whole,
and the running configuration stays.`,
  },
  GW3003: {
    severity: "error",
    summary: "a write to a resource that a file defines",
    message: '{kind} "{id}" is defined in {place} and cannot be changed through the admin API',
    help: "change the file and reload; to write it through the admin API, remove it from the file",
    explain: `Resources from configuration files are static. The admin API refuses to write or delete them and names the file and
line, since the next start would bring the file's version back.`,
  },
  GW3004: {
    severity: "error",
    summary: "a resource that is still used is deleted",
    message: '{kind} "{id}" is still used by {user}',
    help: "delete or change its users first",
    explain: `Deleting a service, upstream or plugin_config that a route or service still names would break that route, and a
captcha_customer that keys name would leave them without owner. The check and the delete are one step, so a write that comes in between
cannot slip through.`,
  },
  GW3005: {
    severity: "error",
    summary: "a deployment setting made in two files",
    message: '"{setting}" is set in two files',
    help: "keep it in one of them",
    explain: `Files are put together as one configuration, in which each setting of \`gw\` and \`deployment\` is made once. Which file
would win is not for their names to decide.`,
  },
  GW3010: {
    severity: "error",
    summary: "a reference to nothing",
    message: '"{field}" names {kind} "{id}", which does not exist',
    explain: `A \`service_id\`, \`upstream_id\` or \`plugin_config_id\`, and the \`customer\` of a captcha's key, must name a resource in the same configuration, in the files or in the store.

\`\`\`yaml
routes:
  - { id: shop, uri: /*, upstream_id: order }   # GW3010: the upstream is called "orders"
upstreams:
  - { id: orders, nodes: { "10.0.0.1:80": 1 } }
\`\`\``,
  },
  GW3011: {
    severity: "warning",
    summary: "a resource that nothing uses",
    message: '{kind} "{id}" is not used',
    help: "remove it, or name it where it was meant to be used",
    explain: `A service, upstream or plugin_config in a file that no route or service names, and a captcha_customer without keys,
have no effect. Often the route that was meant to use it names another one. Stored resources are not reported: they are written before their users.`,
  },
  GW3012: {
    severity: "warning",
    summary: "a consumer that no request can become",
    message: 'consumer "{id}" has no effect: it has nothing to authenticate itself with',
    help: "give it a key: plugins: { key-auth: { key: ... } }",
    explain: `A consumer takes part in a request once a plugin has recognised who sends it. This one has no settings of such a plugin.

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
    help: "name an address for TLS: gw: { ssl: { listen: [9443] } }",
    explain: `Certificates are used by the listeners of \`gw.ssl.listen\`, and this configuration has none. The ssl resource is checked and kept.`,
  },
  GW3014: {
    severity: "warning",
    summary: "a reference to something deleted by force",
    message: '"{field}" names {kind} "{id}", which was deleted by force: {effect}',
    help: "write it again, or name another",
    explain: `\`DELETE …?force=true\` deletes a resource that others still name. They stay as they are and work again once
the resource is written again. Until then nothing is let through that the missing part may have guarded: every request of a route
whose plugin_config is missing is answered 503 and of one whose service is missing 404, also by a route with an upstream of its own,
and of the route's plugins only loggers run. A new or changed resource that names it is refused (GW3010).`,
  },
  GW3015: {
    severity: "warning",
    summary: "a consumer that no route asks for",
    message: 'consumer "{id}" has no effect: no route asks who the client is',
    help: "give the routes that it may use an authentication plugin",
    explain: `A consumer takes part in a request once a plugin of the route has recognised who sends it. When no route has such a plugin,
everybody may send everything and the consumer changes nothing.`,
  },
  GW3016: {
    severity: "error",
    summary: "a secret whose environment variable is not set",
    message: "the environment variable {name} is not set, and {place} needs it",
    help: "set it for the gateway's processes, or write ${{{name}:=default}}",
    explain: `Said where the configuration runs: at the start, at a reload and at a write through the admin API. A secret that is not known
works for nobody: every request of a consumer without its key would be answered 401, and a logger could not sign in. A variable that
is set to nothing counts as not set.

\`\`\`yaml
consumers:
  - username: mobile-app
    plugins: { key-auth: { key: "\${{MOBILE_APP_KEY}}" } }   # GW3016 unless MOBILE_APP_KEY is set
\`\`\``,
  },
  GW3017: {
    severity: "note",
    summary: "a secret whose environment variable is not set here",
    message: "the environment variable {name} is not set here, and {place} needs it where the gateway runs",
    explain: `\`gwc check\` and \`gwc build\` need no secrets, so this is no mistake, not even with \`--strict\`. It tells which variables the
gateway has to be given; without one it does not start (GW3016).`,
  },
  GW3018: {
    severity: "note",
    summary: "secrets in plain text",
    message: "{place}{others} {stand} in this file in plain text",
    help: "write ${{VAR}} instead: it is read from the environment where the gateway runs",
    explain: `Who may read the file, its copies and every version of it knows the secret. A variable keeps it out of all of them:

\`\`\`yaml
consumers:
  - username: mobile-app
    plugins: { key-auth: { key: "\${{MOBILE_APP_KEY}}" } }
\`\`\`

Said once for each file by \`gwc check\`, and no mistake, not even with \`--strict\`: a file that stays where it is made may hold them. No build carries one (GW6108, GW6109).`,
  },
  GW3030: {
    severity: "warning",
    summary: "a route that leads nowhere",
    message: 'route "{id}" has no upstream: every request is answered 503',
    help: 'set "upstream_id", "upstream" or a "service_id" that has one',
    explain: `A route forwards to its own upstream, or to that of its service. Without either, and without a plugin that makes the answer, each
request it matches is answered 503.`,
  },
  GW3031: {
    severity: "error",
    summary: "a plugin in two global rules",
    message: 'plugin "{plugin}" is already in global_rule "{other}"',
    help: "keep the plugin in one global rule",
    explain: `Global rules run around every request, so a plugin in two of them would run twice each time with different settings. One plugin lives
in one global rule; a plugin with \`_meta.disable: true\` does not count.`,
  },
  GW3032: {
    severity: "warning",
    summary: "a plugin that replaces more than it sets",
    message: 'plugin "{plugin}" of route "{id}" replaces that of {owner} whole and loses its {fields}',
    help: "repeat here what shall hold for this route too; to say that it shall not, write the field's default",
    explain: `A plugin of a route takes the place of the same plugin of its plugin_config or service as a whole: settings are not put together.

\`\`\`yaml
services:
  - { id: shop, plugins: { response-rewrite: { headers: { set: { X-Frame-Options: DENY } } } } }
routes:
  - id: page
    uri: /page
    service_id: shop
    plugins: { response-rewrite: { filters: [{ regex: a, replace: b }] } }   # GW3032: without X-Frame-Options
\`\`\`

Nothing is said of fields that both set, of a default that the route's plugin has as well, of a plugin that is disabled, or of settings that exclude
each other, such as \`body\` and \`filters\`: those were meant to be replaced.`,
  },
};

export const resolve: Catalogue = { ...references, ...upstreams, ...certificates, ...matching };
