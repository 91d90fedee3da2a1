import { KEY_SOURCES } from "./key-sources.js";

/** Message instead of an address, which may contain a password. */
export const USER_INFO = `the address of the admin API contains a user or a password, which is not supported: use ${KEY_SOURCES}`;

/** Finds user information (RFC 3986 3.2.1), even if the rest of the URL is invalid. */
export const hasUserInfo = (url: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(url);
