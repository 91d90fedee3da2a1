import type { Catalogue } from "../../model/diagnostic.js";
import { values } from "./validate-values.js";

/** Fields and types that the schemas require of objects. */
export const validate: Catalogue = {
  ...values,
  GW2101: {
    severity: "error",
    summary: "unknown field",
    message: "unknown field {field} in {where}",
    explain: `The schema has no such field. gwc rejects it, because an ignored field looks like a setting that is in effect: for example a
mistyped plugin setting, or \`disable\` outside of \`_meta\`.

\`\`\`yaml
plugins:
  response-rewrite:
    disable: true           # write _meta: { disable: true }
\`\`\`

\`gwc schema\` prints a JSON Schema with all fields, which lets an editor complete them.`,
  },
  GW2102: {
    severity: "error",
    summary: "missing field",
    message: "{where} needs {field}",
    explain: `The field has no default, so it is required. In files every resource has an \`id\` (a consumer its \`username\`), which
is how others refer to it and how two versions of a file are compared.`,
  },
  GW2103: {
    severity: "error",
    summary: "wrong type",
    message: "{label} must be {expected}, not {found}",
    explain: `The value does not have the type of the field. Values are never converted, because a conversion would hide the mistake.

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
    explain: `The two fields set the same thing, and neither takes precedence.

- \`body\` replaces the whole response body, \`filters\` changes fragments of it.
- \`uri\` and \`uris\`, \`host\` and \`hosts\`, \`remote_addr\` and \`remote_addrs\`, \`sni\` and \`snis\` are one value and a list
  of values: put everything into the list.`,
  },
  GW2108: {
    severity: "error",
    summary: "one of several fields is needed",
    message: "{where} needs {fields}",
    explain: `At least one of these fields is required. A route needs a path (\`uri\` or \`uris\`), and an upstream of its own, by id or from a
service, or plugins that make local replies.`,
  },
  GW2112: {
    severity: "error",
    summary: "empty object",
    message: "{label} must not be empty",
    help: "remove it, or give it a field",
    explain: `An empty object has no effect here. Usually its content has a wrong indentation or is missing.`,
  },
  GW2113: {
    severity: "error",
    summary: "plugin that a consumer cannot have",
    message: 'a consumer cannot have the plugin "{name}", only plugins that authenticate it',
    help: "put the plugin on the routes that the consumer uses",
    explain: `The plugins of a consumer are its credentials. The gateway does not run other plugins for the requests of one consumer, and
rejects them so that their effect is not lost silently.

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
    explain: `gwc rejects a plugin that does not exist, because the route would run without it, for example without authentication.
\`GET /gw/admin/plugins/list\` lists the plugins of a running gateway.`,
  },
  GW2130: {
    severity: "error",
    summary: "two tests with the same name",
    message: 'another test has the name "{name}"',
    explain: "`--filter` and test reports identify a test by its name, so names must be unique.",
  },
  GW2131: {
    severity: "error",
    summary: "unknown name in a test",
    message: 'there is no {kind} "{name}"',
    explain: `A test that expects a route or a logger that does not exist can only fail: the name is mistyped, or it has changed in the
configuration.`,
  },
  GW2121: {
    severity: "error",
    summary: "field required by another one",
    message: "{field} is required if {when}",
    explain: `The other field has no meaning without this one: \`pass_host: rewrite\` needs the \`upstream_host\` to send,
\`type: chash\` the \`key\` to hash, \`body_base64: true\` the \`body\` to decode.`,
  },
};
