import type { Catalogue } from "../entry.js";

/** GW2123 to GW2126: values of the captcha's resources. */
export const captcha: Catalogue = {
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
};
