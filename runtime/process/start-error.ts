/** The configuration cannot be run and there is no last known good generation; `message` is for the terminal. */
export class StartError extends Error {}
