/**
 * A command of `gwc` that a plugin contributes: plain data but for `load`; listed by `plugins/commands.ts`. What a command does
 * is loaded when it is asked for.
 */
export interface CommandGroup {
  /** Name of the plugin. */
  plugin: string;
  /** `gwc <name>`. */
  name: string;
  describe: string;
  /** Command and what it is for, as `gwc --help` shows it among its examples. */
  example?: readonly [command: string, text: string];
  /** Lines after the help of the group. */
  help?: string;
  commands: readonly CommandContribution[];
}

/** `gwc <group> <name>`. */
export interface CommandContribution {
  name: string;
  describe: string;
  options: readonly CommandOption[];
  /** It speaks to the admin API: `key` of its options is what `--key-file`, or GWC_ADMIN_KEY, gives. */
  takesAdminKey?: boolean;
  /** What it does with its options, by their names in camel case; resolves with the exit code. */
  load(): Promise<(options: never) => Promise<number>>;
}

export interface CommandOption {
  /** "--admin <url>", "--digest", "--hostname <host...>". */
  flags: string;
  describe: string;
  default?: string | readonly string[];
  /** How the help calls the default. */
  defaultText?: string;
  choices?: readonly string[];
  /** Variable of the environment that it can stand in. */
  environment?: string;
  /** Option that it excludes, in camel case. */
  conflicts?: string;
}
