/** Ways of giving a command the key of the admin API. */
export const KEY_SOURCES = "GWC_ADMIN_KEY in the environment, or --key-file";

/** Said where a gateway wants a key and there is none. */
export const KEY_WANTED = `give a key: ${KEY_SOURCES}`;
