/** Group of `gwc` commands of a plugin: plain data but for `load`; listed by `plugins/commands.ts`. */
export interface CommandGroup {
  plugin: string;
  name: string;
  describe: string;
  /** Command and its purpose, among the examples of `gwc --help`. */
  example?: readonly [command: string, text: string];
  /** Lines behind the help of the group. */
  help?: string;
  commands: readonly CommandContribution[];
}

interface CommandContribution {
  name: string;
  describe: string;
  options: readonly CommandOption[];
  /** Calls the admin API: its option `key` comes from `--key-file` or GWC_ADMIN_KEY. */
  takesAdminKey?: boolean;
  /** Loads the command; it takes its options by their names in camel case and resolves with the exit code. */
  load(): Promise<(options: never) => Promise<number>>;
}

export interface CommandOption {
  /** "--admin <url>", "--digest", "--hostname <host...>". */
  flags: string;
  describe: string;
  default?: string | readonly string[];
  /** Text of the default in the help. */
  defaultText?: string;
  choices?: readonly string[];
  environment?: string;
  /** Option that excludes it, in camel case. */
  conflicts?: string;
}
