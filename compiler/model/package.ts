/** Package of a plugin, as a configuration file names it. */
export interface NamedPackage {
  /** Name or path: "gwc-plugin-hello" or "./plugins/audit". */
  name: string;
  /** Absolute folder of the file that names it. */
  folder: string;
}

/** Package whose plugin this process has loaded. */
export interface LoadedPackage extends NamedPackage {
  plugin: string;
  version: string;
  abi: readonly [number, number];
  hash: string;
  /** Absolute path without symbolic links. */
  root: string;
  runtime?: string;
  /** Names of its calls, and of the variables that it reads. */
  exports: readonly string[];
  variables: readonly string[];
  /** Headers that it reserves, in lower case, sorted. */
  reservedHeaders: readonly string[];
}
