import type { Catalogue } from "../../compiler/diagnostics/diagnostic.js";

/**
 * GW212x: values of the captcha's resources. GW305x: those together. GW432x: the plugin's connection to the
 * service. GW4414: audits.
 */
export const DIAGNOSTICS: Catalogue = {
  GW2123: {
    severity: "error",
    summary: "a site key that nobody may have",
    message: "{value} cannot be a site key: {reason}",
    help: "choose another id, or let `POST /gw/admin/captcha/site-keys` make one",
    explain: `A site key is the first part of a path, \`/<site_key>/verify\`, beside the paths of the service itself: \`captcha.js\`,
\`captcha-<version>.<hash>.js\`, \`api\`, \`f\`, \`assets\`, \`healthz\`, \`readyz\`, \`metrics\`, \`admin\`, \`.well-known\`. Keys that
begin with \`sp-test-\` are fixed: they are for tests of integrations and work only where \`captcha.testing\` is set.`,
  },
  GW2124: {
    severity: "error",
    summary: "invalid host of a page",
    message: "{value} is not a host of pages: {reason}",
    help: 'write a name or an address, such as "example.com", "localhost" or "192.0.2.7"',
    explain: `\`hostnames\` are the hosts of the pages that may show the widget, as \`location.hostname\` has them: without scheme, port and path.
A name stands for its subdomains as well, so there is no wildcard; an address stands for itself.

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
    explain: `A moment is a date and a time with its time zone (RFC 3339), so that it is the same one everywhere: \`2027-03-31T00:00:00Z\` or
\`2027-03-31T03:00:00+03:00\`; or the number of seconds since 1970.`,
  },
  GW2126: {
    severity: "error",
    summary: "invalid API key",
    message: "{label} is not an API key of the captcha: {reason}",
    help: "`gwc captcha init` makes one; in a file, name the variable that holds it: ${{CAPTCHA_API_KEY}}",
    explain: `An API key is made by the gateway: \`spk_\`, eight letters and digits that name it, 256 random bits, and a checksum that tells a mistyped
key at once. Keys of other systems, and keys of the admin API, are not taken.`,
  },
  GW3050: {
    severity: "error",
    summary: "a third live API key of a customer",
    message: 'captcha_customer "{customer}" has more than two live API keys',
    help: "delete or disable one of the others, or let it expire",
    explain: `A customer has at most two API keys that are enabled and not expired: the one in use, and the one that takes its place. A backend is
given the new key, and then the old one is deleted. Every further key that is good for verifications is one more that can leak unnoticed.

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
    explain: `The captcha is a process of its own, which runs only when the configuration has a section \`captcha\`. Its customers, site keys and
API keys are checked and kept without it, and nothing uses them.`,
  },
  GW3052: {
    severity: "error",
    summary: "an API key under the id of another",
    message: 'the key of captcha_api_key "{id}" is another one: its id differs',
    help: 'the id is the eight characters after "spk_" in the key',
    explain: `A key names itself: the eight characters after \`spk_\` select its record. A record whose id is another one would never be found, and
every verification would answer 401.`,
  },
  GW3053: {
    severity: "error",
    summary: "a way that is not for everybody, or for programs too, and no other",
    message: '"{type}" cannot be the only kind of task: {why}',
    help: "add shapes or rings, or leave task_types out",
    explain: `Reading distorted text needs eyes and knowledge of letters, counting beeps needs ears, and both ask for transcription, which WCAG 2.2
(3.3.8) accepts only beside another way. So neither may be the only kind of task of a site key. Nor may "patience", the way without a
puzzle: it is never open to everybody, and whoever it is closed to needs a task.`,
  },
  GW3054: {
    severity: "error",
    summary: "an API key without its text or digest",
    message: 'captcha_api_key "{id}" has neither "key" nor "digest"',
    help: "in a file, name the variable that holds it: key: ${{CAPTCHA_API_KEY}}; the admin API makes a key by itself",
    explain: `In a configuration file an API key is given as its text, which belongs in the environment (\`key: \${{CAPTCHA_API_KEY}}\`), or as the digest
that \`gwc captcha init\` prints. Only the admin API makes keys: it shows the text once and keeps the digest.`,
  },
  GW3055: {
    severity: "warning",
    summary: "an API key that has expired",
    message: 'captcha_api_key "{id}" has expired: verifications with it are answered 401',
    help: "remove it, or give it another time to expire",
    explain: `From the moment in \`expires\` on, the key is refused like one that does not exist.`,
  },
  GW4321: {
    severity: "warning",
    summary: "captcha service without TLS",
    message: 'the API key and all tokens go to "{host}" unencrypted',
    help: "use https",
    explain: `Whoever reads the connection learns the API key, and can then verify, and so use up, the tokens of visitors. Only a
service on the same machine needs no TLS.

\`\`\`yaml
captcha: { captcha_url: "https://captcha.internal", site_key: shop-front, api_key: "\${{CAPTCHA_KEY}}" }
\`\`\``,
  },
  GW4322: {
    severity: "warning",
    summary: "method without a place for a token",
    message: "requests with {method} usually have no body, so nearly all of them will be refused",
    help: "add header to token_from, or leave {method} out of methods",
    explain: `A token in a form or in JSON comes in the body of a request. A browser sends none with GET and HEAD; a script can put
the token into a header instead:

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
      "The setting is about a place in which no token is looked for, or about a connection that is not made. Name the place in `token_from`, or remove the setting.",
  },
  GW4324: {
    severity: "warning",
    summary: "a captcha whose address is only known when it runs",
    message: '"captcha_url" is not set, and {listen}: the service may not be where it is asked for',
    help: 'write "captcha_url" as the gateway reaches the service',
    explain: `Without \`captcha_url\` the plugin asks the captcha of the same configuration, where \`captcha.listen\` says that it listens. A port that the
system chooses (0), or an address in a variable, is not known when the configuration is compiled; then \`http://127.0.0.1:9088\` is asked,
and every form is answered 503 where nobody listens there.

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
    summary: "setting of an audit logger that is about requests",
    message: "captcha.audit.{kind}.{field} has no meaning for records of the captcha",
    help: "leave it out",
    explain: `The loggers of \`captcha.audit\` ship records of decisions and verifications, which have a form of their own and wait in memory.
What is about requests (formats, bodies, \`redact\`, \`_meta\`) and about the spool (\`delivery\`, \`ack\`, \`spool\`) cannot apply to them. The
gateway would not start with it.`,
  },
};
