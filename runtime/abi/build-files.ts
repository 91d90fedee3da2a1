/** Files of a build that the compiler writes and control reads, beside `manifest.json` and `gateway.json`. */

export const MANIFEST = "manifest.json";
/** JSON list of `{ kind, id, value }`: the resources that it was made of. */
export const RESOURCES_FILE = "resources.json";
/** JSON object, "routes/shop" to "gateway.yaml:10:5": where they stood. Not part of what a build means. */
export const LOCATIONS_FILE = "locations.json";

/** CycloneDX: what runs a build. */
export const SBOM_FILE = "sbom.json";
/** Signatures of the manifest: `{ signatures: [{ keyid, sig }] }`. */
export const SIGNATURE_FILE = "manifest.sig";
/** in-toto statement of what the build was made of. */
export const PROVENANCE_FILE = "provenance.json";
export const PROVENANCE_SIGNATURE_FILE = "provenance.sig";

/** Files of a build that its manifest cannot list, since they are about it. */
export const UNLISTED_FILES: readonly string[] = [
  MANIFEST,
  SIGNATURE_FILE,
  PROVENANCE_FILE,
  PROVENANCE_SIGNATURE_FILE,
];

/** Of "routes/shop". */
export const idOfResource = (name: string): string => name.slice(name.indexOf("/") + 1);

/** A resource of the configuration that was built; secrets are references. */
export interface BuiltResource {
  kind: string;
  id: string;
  value: Record<string, unknown>;
  /** "gateway.yaml:10:5"; "" when the build does not say it. */
  place: string;
  /** Of an enabled route: its position among those that tie with it, as in its row. */
  order?: number;
}
