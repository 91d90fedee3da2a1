import type { Catalogue } from "../entry.js";

/** GW305x: resources of the captcha. */
export const captcha: Catalogue = {
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
    summary: "a task that not everybody can solve, and no other",
    message: '"{type}" cannot be the only task: there are people who cannot solve it',
    help: "add shapes or rings, or leave task_types out",
    explain: `Reading distorted text needs eyes and knowledge of letters, counting beeps needs ears, and both ask for transcription, which WCAG 2.2
(3.3.8) accepts only beside another way. So neither may be the only kind of task of a site key.`,
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
};
