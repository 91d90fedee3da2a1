/** The configuration cannot be run and there is no last known good generation; `message` is for the terminal. */
export class StartError extends Error {}

/** A setting that only shows to be wrong when the gateway starts. */
export class SettingsError extends Error {}
