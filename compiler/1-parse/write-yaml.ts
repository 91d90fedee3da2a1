import { stringify } from "yaml";

/** Prints a configuration as YAML: block style, strings quoted only if necessary, no line broken. */
export const writeYaml = (configuration: object): string =>
  stringify(configuration, { lineWidth: 0, aliasDuplicateObjects: false });
