import type { KeyLooks, Looks } from "./preview";

/** The site key only has letters, digits, "_" and "-". */
export interface Place {
  /** Origin. */
  url: string;
  siteKey: string;
}

/** Omits settings that equal those of the site key. */
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

/** Verifies the token of the form. It uses shell variables, so that the key is in no history. */
export const curlOf = ({ url, siteKey }: Place): string => `curl --get '${url}/${siteKey}/verify' \\
  --header "X-Api-Key: $CAPTCHA_API_KEY" \\
  --data-urlencode "jwt=$TOKEN" \\
  --data-urlencode "ip=$CLIENT_ADDRESS"
`;

/** Verification by the gateway, without code in the backend. */
export const pluginOf = ({ siteKey }: Pick<Place, "siteKey">): string => `plugins:
  captcha:
    site_key: ${siteKey}
    api_key: \${{CAPTCHA_API_KEY}}
`;
