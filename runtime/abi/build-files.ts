/** The compiler writes these files of a build, and control reads them, next to `manifest.json` and `gateway.json`. */

export const MANIFEST = "manifest.json";
/** JSON list of `{ kind, id, value }`: the resources that the build was made of. */
export const RESOURCES_FILE = "resources.json";
/** JSON object, "routes/shop" to "gateway.yaml:10:5". Not part of the meaning of a build. */
export const LOCATIONS_FILE = "locations.json";

/** CycloneDX list of the components that run a build. */
export const SBOM_FILE = "sbom.json";
/** JSON: `{ signatures: [{ keyid, sig }] }`. */
export const SIGNATURE_FILE = "manifest.sig";
/** in-toto statement about the inputs of the build. */
export const PROVENANCE_FILE = "provenance.json";
export const PROVENANCE_SIGNATURE_FILE = "provenance.sig";

/** Files that the manifest cannot list, since they are about it. */
export const UNLISTED_FILES: readonly string[] = [
  MANIFEST,
  SIGNATURE_FILE,
  PROVENANCE_FILE,
  PROVENANCE_SIGNATURE_FILE,
];

export const idOfResource = (name: string): string => name.slice(name.indexOf("/") + 1);

/** Resource with secrets as references. */
export interface BuiltResource {
  kind: string;
  id: string;
  value: Record<string, unknown>;
  /** Source location, "gateway.yaml:10:5"; "" if the build has none. */
  place: string;
  /** Position of an enabled route among those that tie with it, as in its row. */
  order?: number;
}
