import type { Catalogue } from "../../compiler/plugin-api.js";

/** GW212x: values of resources. GW305x: those together. GW432x: connection to the service. GW4414: audits. */
export const DIAGNOSTICS: Catalogue = {
  GW2123: {
    severity: "error",
    summary: "a reserved site key",
    message: "{value} cannot be a site key: {reason}",
    help: "use another id, or let `POST /gw/admin/captcha/site-keys` create one",
    explain: `A site key is the first part of the path \`/<site_key>/verify\`, so it must differ from the paths of the service itself: \`captcha.js\`,
\`captcha-<version>.<hash>.js\`, \`api\`, \`f\`, \`assets\`, \`healthz\`, \`readyz\`, \`metrics\`, \`admin\`, \`.well-known\`. Keys that
begin with \`sp-test-\` are predefined for integration tests and work only if \`captcha.testing\` is set.`,
  },
  GW2124: {
    severity: "error",
    summary: "invalid host of a page",
    message: "{value} is not a valid host of a page: {reason}",
    help: 'write a name or an address, such as "example.com", "localhost" or "192.0.2.7"',
    explain: `\`hostnames\` are the hosts of the pages that may show the widget, in the form of \`location.hostname\`: without scheme, port and
path. A name includes its subdomains, so there is no wildcard; an address matches only itself.

\`\`\`yaml
hostnames: [example.com]          # also www.example.com
hostnames: ["*.example.com"]      # GW2124
hostnames: ["localhost:3000"]     # GW2124
\`\`\``,
  },
  GW2125: {
    severity: "error",
    summary: "invalid point in time",
    message: "{value} is not a point in time: {reason}",
    explain: `Write a date and a time with a time zone (RFC 3339), such as \`2027-03-31T00:00:00Z\` or \`2027-03-31T03:00:00+03:00\`, or the
number of seconds since 1970.`,
  },
  GW2126: {
    severity: "error",
    summary: "invalid API key",
    message: "{label} is not an API key of the captcha: {reason}",
    help: "create one with `gwc captcha init`; in a file, refer to its variable: ${{CAPTCHA_API_KEY}}",
    explain: `The gateway generates API keys: \`spk_\`, eight letters and digits that identify the key, 256 random bits, and a checksum that detects a
mistyped key. Keys of other systems, and keys of the admin API, are not valid here.`,
  },
  GW3050: {
    severity: "error",
    summary: "a third live API key of a customer",
    message: 'captcha_customer "{customer}" has more than two live API keys',
    help: "delete or disable one of the others, or let it expire",
    explain: `A customer has at most two API keys that are enabled and not expired: the current one and its replacement. Configure the new key in the
backend, then delete the old one. Each further live key is one more that can leak unnoticed.

\`\`\`yaml
captcha_api_keys:
  - { id: k3y5hp2n, customer: shop, key: "\${{OLD_KEY}}", expires: 2027-03-31T00:00:00Z }
  - { id: m7qw4tzb, customer: shop, key: "\${{NEW_KEY}}" }
\`\`\``,
  },
  GW3051: {
    severity: "warning",
    summary: "captcha resources without a captcha",
    message: '{kind} "{id}" has no effect: the configuration has no section "captcha"',
    help: 'add a section "captcha", with the "url" that browsers use',
    explain: `The captcha is a separate process, which runs only if the configuration has a section \`captcha\`. Without it, customers, site keys
and API keys are checked, but not used.`,
  },
  GW3052: {
    severity: "error",
    summary: "an API key under the id of another",
    message: 'the key of captcha_api_key "{id}" has a different id',
    help: 'set the id to the eight characters after "spk_" in the key',
    explain: `The eight characters after \`spk_\` in a key are the id of its record. A record with another id would never be found, and every
verification would be rejected with 401.`,
  },
  GW3053: {
    severity: "error",
    summary: "a kind of task that needs an alternative",
    message: '"{type}" cannot be the only kind of task: {why}',
    help: "add shapes or rings, or leave task_types out",
    explain: `Reading distorted text needs sight and literacy, counting beeps needs hearing, and both require transcription, which WCAG 2.2 (3.3.8)
accepts only with an alternative. Neither may be the only kind of task of a site key. The same applies to "patience", the kind without a
puzzle: it is not available to all visitors, and the others need a task.`,
  },
  GW3054: {
    severity: "error",
    summary: "an API key without its text or digest",
    message: 'captcha_api_key "{id}" has neither "key" nor "digest"',
    help: "in a file, refer to its variable: key: ${{CAPTCHA_API_KEY}}; the admin API generates a key",
    explain: `In a configuration file, write the text of an API key as a variable (\`key: \${{CAPTCHA_API_KEY}}\`), or the digest that \`gwc captcha init\`
prints. The admin API generates a key: it shows the text once and stores the digest.`,
  },
  GW3055: {
    severity: "warning",
    summary: "an API key that has expired",
    message: 'captcha_api_key "{id}" has expired: verifications with it are rejected with 401',
    help: "remove it, or change its time of expiry",
    explain: `After the time in \`expires\` the key is rejected like one that does not exist.`,
  },
  GW4321: {
    severity: "warning",
    summary: "captcha service without TLS",
    message: 'the API key and all tokens go to "{host}" unencrypted',
    help: "use https",
    explain: `Anyone who can read the connection learns the API key, and can then use up the tokens of visitors by verifying them. Only a
service on the same machine needs no TLS.

\`\`\`yaml
captcha: { captcha_url: "https://captcha.internal", site_key: shop-front, api_key: "\${{CAPTCHA_KEY}}" }
\`\`\``,
  },
  GW4322: {
    severity: "warning",
    summary: "method without a place for a token",
    message: "requests with {method} usually have no body, so nearly all of them will be rejected",
    help: "add header to token_from, or remove {method} from methods",
    explain: `A token in a form or in JSON is in the body of a request. A browser sends no body with GET and HEAD; a script can send the
token in a header instead:

\`\`\`yaml
captcha:
  site_key: shop-front
  api_key: "\${{CAPTCHA_KEY}}"
  methods: [GET, POST]
  token_from: [header, form]
\`\`\``,
  },
  GW4323: {
    severity: "warning",
    summary: "setting of the captcha without effect",
    message: '"{field}" has no effect: {because}',
    explain:
      "The setting applies to a place that is not searched for tokens, or to a connection that is not made. Add the place to `token_from`, or remove the setting.",
  },
  GW4324: {
    severity: "warning",
    summary: "a captcha whose address is known only at run time",
    message: '"captcha_url" is not set, and {listen}: the plugin may not reach the service',
    help: 'set "captcha_url" to the URL by which the gateway reaches the service',
    explain: `Without \`captcha_url\` the plugin calls the captcha of the same configuration at \`captcha.listen\`. A port that the system chooses (0), or an
address in a variable, is not known when the configuration is compiled. The plugin then calls \`http://127.0.0.1:9088\`, and rejects every
form with 503 if nothing listens there.

\`\`\`yaml
captcha: { listen: { port: "\${{CAPTCHA_PORT}}" }, url: "https://captcha.example.com" }
routes:
  - id: signup
    uri: /signup
    upstream: { nodes: { "127.0.0.1:8080": 1 } }
    plugins:
      captcha: { captcha_url: "https://captcha.internal", site_key: shop-front, api_key: "\${{CAPTCHA_KEY}}" }
\`\`\``,
  },
  GW4414: {
    severity: "error",
    summary: "setting of an audit logger that applies only to requests",
    message: "captcha.audit.{kind}.{field} does not apply to records of the captcha",
    help: "remove it",
    explain: `The loggers of \`captcha.audit\` deliver records of decisions and verifications, which have a fixed format and are queued in memory.
Settings for requests (formats, bodies, \`redact\`, \`_meta\`) and for the spool (\`delivery\`, \`ack\`, \`spool\`) do not apply to them. The
gateway would not start with this setting.`,
  },
};
