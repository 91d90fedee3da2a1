import type { Catalogue } from "../diagnostic.js";
import { values } from "./validate-values.js";

/** Fields and types that the schemas require of objects. */
export const validate: Catalogue = {
  ...values,
  GW2101: {
    severity: "error",
    summary: "unknown field",
    message: "unknown field {field} in {where}",
    explain: `The schema has no such field. It is refused rather than ignored, because an ignored field is a setting that somebody
believes to be in force: a mistyped plugin setting, or \`disable\` outside \`_meta\`.

\`\`\`yaml
plugins:
  response-rewrite:
    disable: true           # write _meta: { disable: true }
\`\`\`

\`gwc schema\` prints all fields; with it an editor completes them.`,
  },
  GW2102: {
    severity: "error",
    summary: "missing field",
    message: "{where} needs {field}",
    explain: `The field has no default, so it must be given. In files every resource has an \`id\` (a consumer its \`username\`), which
is how others refer to it and how two versions of a file are compared.`,
  },
  GW2103: {
    severity: "error",
    summary: "wrong type",
    message: "{label} must be {expected}, not {found}",
    explain: `The value has another type than the field. Values are never converted, because a conversion hides the mistake.

\`\`\`yaml
priority: "10"      # text; write priority: 10
methods: GET        # text; write methods: [GET]
\`\`\`

A value that comes from \`\${{VAR}}\` is always text.`,
  },
  GW2107: {
    severity: "error",
    summary: "fields that exclude each other",
    message: '"{field}" cannot be combined with "{other}"',
    help: "keep one of the two; see `gwc explain GW2107`",
    explain: `The two fields answer the same question in two ways, and no rule says which one counts.

- \`body\` replaces the whole response body, \`filters\` changes fragments of it.
- \`uri\` and \`uris\`, \`host\` and \`hosts\`, \`remote_addr\` and \`remote_addrs\`, \`sni\` and \`snis\` are one value and a list
  of values: put everything into the list.`,
  },
  GW2108: {
    severity: "error",
    summary: "one of several fields is needed",
    message: "{where} needs {fields}",
    explain: `One of these fields must be there. A route needs a path (\`uri\` or \`uris\`), and something to do with a request: an
upstream of its own, by id, from a service, or plugins that answer by themselves.`,
  },
  GW2112: {
    severity: "error",
    summary: "empty object",
    message: "{label} must not be empty",
    help: "remove it, or give it a field",
    explain: `An empty object here does nothing, and usually means that its content is indented wrongly or got lost.`,
  },
  GW2113: {
    severity: "error",
    summary: "plugin that a consumer cannot have",
    message: 'a consumer cannot have the plugin "{name}": only what it authenticates itself with',
    help: "put the plugin on the routes that the consumer uses",
    explain: `The plugins of a consumer are its credentials. This gateway does not run other plugins for the requests of one consumer, and
leaving one out without a word would leave its requests without what it was to do.

\`\`\`yaml
consumers:
  - username: mobile-app
    plugins:
      key-auth: { key: "\${{MOBILE_APP_KEY}}" }
      response-rewrite: { status_code: 200 }   # GW2113: belongs on a route, a service or a plugin_config
\`\`\`

On a route, \`_meta.filter: [["consumer_name", "==", "mobile-app"]]\` limits a plugin of the response to one consumer.`,
  },
  GW2114: {
    severity: "error",
    summary: "unknown plugin",
    message: 'there is no plugin "{name}"',
    explain: `A plugin that does not exist is refused: leaving it out would leave the route without what it was to do, for example
without authentication. \`GET /gw/admin/plugins/list\` names the plugins of a running gateway.`,
  },
  GW2130: {
    severity: "error",
    summary: "two tests of one name",
    message: 'another test is called "{name}"',
    explain:
      "`--filter` and reports of tests know a test by its name. Of two with the same name nobody could tell which has failed.",
  },
  GW2131: {
    severity: "error",
    summary: "unknown name in a test",
    message: 'there is no {kind} "{name}"',
    explain: `A test that expects a route which the configuration does not have can only fail, and one that expects a record of a logger which
does not exist too: a name is mistyped, or the route has another one now.`,
  },
  GW2121: {
    severity: "error",
    summary: "field needed because of another",
    message: "{field} is needed when {when}",
    explain: `The other field makes no sense without this one: \`pass_host: rewrite\` needs the \`upstream_host\` to send,
\`type: chash\` the \`key\` to hash, \`body_base64: true\` the \`body\` to decode.`,
  },
};
