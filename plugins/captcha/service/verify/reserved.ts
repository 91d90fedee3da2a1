/** What a site key may be, where the compiler sees it too. */
export {
  isReservedPath,
  isReservedSiteKey,
  SITE_KEY,
  TEST_SITE_KEY,
} from "../../captcha-table.js";
