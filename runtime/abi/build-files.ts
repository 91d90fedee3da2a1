/** The compiler writes these files of a build, and control reads them, next to `manifest.json` and `gateway.json`. */

export const MANIFEST = "manifest.json";
/**
 * Format of the files of a build, in its manifest; raised when a file changes its meaning. Builds without a
 * number hold lists of differences between items.
 */
export const BUILD_FORMAT = 2;
/**
 * Plan of a build with plugins of packages. Other plans are planned again from the resources when a command
 * needs one; a build has the runtime code of packages, but nothing to plan with.
 */
export const PLAN_FILE = "plan.json";
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

/** A resource of the built configuration; secrets are references. */
export interface BuiltResource {
  kind: string;
  id: string;
  value: Record<string, unknown>;
  /** Source location, "gateway.yaml:10:5"; "" if the build has none. */
  place: string;
  /** Position of an enabled route among those that tie with it, as in its row. */
  order?: number;
}
