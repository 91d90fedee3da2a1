export const KEY_SOURCES = "GWC_ADMIN_KEY in the environment, or --key-file";

/** Message if a gateway needs a key and there is none. */
export const KEY_WANTED = `give a key: ${KEY_SOURCES}`;
