import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { VERSION } from "../../runtime/abi/version.js";
import { SCHEMA_DIRECTORY } from "../../schema/schemas.js";
import type { LoadedPackage } from "../model/package.js";

interface Component {
  type: "application" | "library";
  "bom-ref": string;
  name: string;
  version: string;
  purl?: string;
  licenses?: { expression: string }[];
  hashes?: { alg: "SHA-256"; content: string }[];
}

interface Dependencies {
  ref: string;
  dependsOn: string[];
}

interface Metadata {
  name?: string;
  version?: string;
  license?: unknown;
  dependencies?: Record<string, string>;
}

/**
 * Bill of materials of what runs a build, as CycloneDX 1.5: gwc, its installed packages, and packages of
 * plugins. Without serial number and time, the same content gives the same bytes. For the same reason it
 * leaves out packages that npm installs on one platform only.
 */
export function sbomText(packages: readonly LoadedPackage[]): string {
  const { own, uses, libraries, dependencies } = installedGwc();
  const plugins = packages.map(({ name, version, hash }): Component => {
    const ref = `plugin:${name}@${version}`;
    return { type: "library", "bom-ref": ref, name, version, hashes: [{ alg: "SHA-256", content: hash }] };
  });
  plugins.sort((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1));
  const ref = "build";
  const dependsOn = [own["bom-ref"], ...plugins.map((plugin) => plugin["bom-ref"])];
  return cycloneDx(
    { type: "application", "bom-ref": ref, name: "gateway build" },
    [own, ...libraries, ...plugins],
    [{ ref, dependsOn }, { ref: own["bom-ref"], dependsOn: uses }, ...dependencies],
  );
}

/** Bill of materials of the package of gwc, in the same form. */
export function packageSbomText(): string {
  const { own, uses, libraries, dependencies } = installedGwc();
  return cycloneDx(own, libraries, [{ ref: own["bom-ref"], dependsOn: uses }, ...dependencies]);
}

function cycloneDx(
  component: Pick<Component, "type" | "bom-ref" | "name">,
  components: readonly Component[],
  dependencies: readonly Dependencies[],
): string {
  const format = { bomFormat: "CycloneDX", specVersion: "1.5", version: 1 };
  return `${JSON.stringify({ ...format, metadata: { component }, components, dependencies }, null, 2)}\n`;
}

/** gwc, references of its direct dependencies, and all libraries with theirs. */
function installedGwc() {
  const root = dirname(SCHEMA_DIRECTORY);
  const own = componentOf({ name: "gwc", ...metadataIn(root), version: VERSION }, "application");
  const installed = new Map<string, { component: Component; uses: string[] }>();
  const uses = follow(root, installed);
  const libraries = [...installed.values()].sort((a, b) =>
    a.component["bom-ref"] < b.component["bom-ref"] ? -1 : 1,
  );
  const dependencies = libraries.map(({ component, uses: dependsOn }): Dependencies => {
    return { ref: component["bom-ref"], dependsOn };
  });
  return { own, uses, libraries: libraries.map(({ component }) => component), dependencies };
}

/** @returns references of the dependencies of the package in a folder; all are added to `installed` */
function follow(folder: string, installed: Map<string, { component: Component; uses: string[] }>): string[] {
  const names = Object.keys(metadataIn(folder).dependencies ?? {}).sort();
  return names.flatMap((name) => {
    const found = installedFolder(name, folder);
    if (found === undefined) return [];
    const component = componentOf({ name, ...metadataIn(found) }, "library");
    const ref = component["bom-ref"];
    if (!installed.has(ref)) {
      const entry = { component, uses: [] as string[] };
      installed.set(ref, entry);
      entry.uses = follow(found, installed);
    }
    return [ref];
  });
}

/** Finds a package as Node does: in `node_modules` of the folder and of each folder above. */
function installedFolder(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

function metadataIn(folder: string): Metadata {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Metadata;
  } catch {
    return {};
  }
}

function componentOf({ name = "", version = "", license }: Metadata, type: Component["type"]): Component {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const licenses = typeof license === "string" ? { licenses: [{ expression: license }] } : {};
  return { type, "bom-ref": purl, name, version, purl, ...licenses };
}
