import type { Catalogue } from "../entry.js";

/** The captcha plugin (GW432x): how it reaches the service, and where it looks for tokens. */
export const captcha: Catalogue = {
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
};
