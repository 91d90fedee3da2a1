export const KEY_SOURCES = "GWC_ADMIN_KEY in the environment, or --key-file";

export const KEY_WANTED = `give a key: ${KEY_SOURCES}`;
