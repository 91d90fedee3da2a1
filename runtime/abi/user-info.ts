import { KEY_SOURCES } from "./key-sources.js";

/** Message instead of an address, which may contain a password. */
export const USER_INFO = `the address of the admin API holds a user or a password, which it does not take: its key goes into ${KEY_SOURCES}`;

/** Reports whether a URL has user information (RFC 3986 3.2.1), even if the rest of it is invalid. */
export const hasUserInfo = (url: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(url);
