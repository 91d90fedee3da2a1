import { KEY_SOURCES } from "./key-sources.js";

/** Said in place of an address, which is not shown then: it may hold a password. */
export const USER_INFO = `the address of the admin API holds a user or a password, which it does not take: its key goes into ${KEY_SOURCES}`;

/** Whether a URL has user information (RFC 3986 3.2.1), however broken the rest of it is. */
export const hasUserInfo = (url: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(url);
