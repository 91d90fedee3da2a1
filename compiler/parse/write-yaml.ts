import { stringify } from "yaml";

/** A configuration as a YAML file has it: block style, strings quoted only where they have to be, no line broken. */
export const writeYaml = (configuration: object): string =>
  stringify(configuration, { lineWidth: 0, aliasDuplicateObjects: false });
