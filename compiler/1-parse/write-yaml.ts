import { stringify } from "yaml";

/** Uses block style, strings quoted only if necessary, no line broken. */
export const writeYaml = (configuration: object): string =>
  stringify(configuration, { lineWidth: 0, aliasDuplicateObjects: false });
