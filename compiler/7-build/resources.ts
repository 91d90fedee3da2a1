import { relative, resolve, sep } from "node:path";
import { idSpan } from "../3-resolve/duplicates.js";
import type { Resource } from "../model/resource.js";

const nameOf = ({ kind, id }: Resource) => `${kind}/${id}`;

const sorted = (resources: readonly Resource[]): Resource[] =>
  [...resources].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

/**
 * Resources of a build, one on a line, for reads of the admin API. No build contains literal secrets
 * (GW6109).
 */
export function resourcesText(resources: readonly Resource[]): string {
  const lines = sorted(resources).map(({ kind, id, value }) => JSON.stringify({ kind, id, value }));
  return `[\n${lines.join(",\n")}\n]\n`;
}

/**
 * Location of each resource, such as "shop.yaml:31:9", relative to the working directory. A file of its own,
 * so that a moved line changes no other file.
 */
export function locationsText(resources: readonly Resource[]): string {
  const places = sorted(resources).map((resource) => {
    const { file, start } = idSpan(resource);
    const name = relative("", resolve(file)).split(sep).join("/");
    return `${JSON.stringify(nameOf(resource))}:${JSON.stringify(`${name}:${start.line}:${start.column}`)}`;
  });
  return `{\n${places.join(",\n")}\n}\n`;
}
