/** A setting that only shows to be wrong when the gateway starts. */
export class SettingsError extends Error {}
