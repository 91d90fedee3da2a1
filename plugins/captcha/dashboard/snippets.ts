import type { KeyLooks, Looks } from "./looks";

/** Addresses at which browsers and backends find the captcha, and the site key. A site key holds letters, digits, "_" and "-" alone. */
export interface Place {
  /** {captcha_url}, an origin. */
  url: string;
  siteKey: string;
}

/** HTML of a page. Settings of the site key are not said again. */
export function htmlOf({ url, siteKey }: Place, looks: Looks, key: KeyLooks): string {
  const attributes = [
    `data-sitekey="${siteKey}"`,
    `data-language="${looks.language}"`,
    ...(looks.theme === key.theme ? [] : [`data-theme="${looks.theme}"`]),
    ...(looks.size === "normal" ? [] : [`data-size="${looks.size}"`]),
    "data-response-field",
  ];
  return `<script src="${url}/captcha.js" async defer></script>

<!-- inside the form -->
<div class="sp-captcha" ${attributes.join(" ")}></div>
`;
}

/** How a backend verifies the token of the form. Its variables are the shell's, so that the key is in no history. */
export const curlOf = ({ url, siteKey }: Place): string => `curl --get '${url}/${siteKey}/verify' \\
  --header "X-Api-Key: $CAPTCHA_API_KEY" \\
  --data-urlencode "jwt=$TOKEN" \\
  --data-urlencode "ip=$CLIENT_ADDRESS"
`;

/** The same by the gateway, without code in the backend. */
export const pluginOf = ({ siteKey }: Pick<Place, "siteKey">): string => `plugins:
  captcha:
    site_key: ${siteKey}
    api_key: \${{CAPTCHA_API_KEY}}
`;
