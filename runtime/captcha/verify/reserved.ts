/** What a site key may be, where the compiler sees it too. */
export { isReservedSiteKey, SITE_KEY } from "../../abi/captcha.js";
