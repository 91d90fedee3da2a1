import { relative, sep } from "node:path";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { VERSION } from "../../runtime/abi/version.js";
import type { LoadedPackage } from "../packages/outcomes.js";
import type { SourceText } from "../parse/source.js";

/** What a build was made of. */
export interface Origins {
  sources: readonly SourceText[];
  packages: readonly LoadedPackage[];
  /** The commit that was checked out; `changed`: the files are others than it has. Absent where there is no repository. */
  revision?: { commit: string; changed: boolean } | undefined;
}

/**
 * An in-toto statement with the predicate of SLSA provenance v1 about the build with this manifest. No dates, hosts or absolute paths:
 * files are named from the folder that holds them all.
 */
export function provenanceText(manifest: string, { sources, packages, revision }: Origins): string {
  const named = [...sources].map((source) => ({ name: nameIn(sources, source), text: source.text }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: MANIFEST, digest: { sha256: sha256(manifest) } }],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:gwc:build:v1",
        externalParameters: { configuration: named.map(({ name }) => name) },
        resolvedDependencies: [
          ...named.map(({ name, text }) => ({ name, digest: { sha256: sha256(text) } })),
          ...packages
            .map(({ name, version, hash }) => ({ name: `${name}@${version}`, digest: { sha256: hash } }))
            .sort((a, b) => (a.name < b.name ? -1 : 1)),
          ...(revision ? [checkoutOf(revision)] : []),
        ],
      },
      runDetails: { builder: { id: `pkg:npm/gwc@${VERSION}`, version: { gwc: VERSION } } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}

function checkoutOf({ commit, changed }: { commit: string; changed: boolean }): object {
  return { name: "git", digest: { gitCommit: commit }, ...(changed && { annotations: { changed } }) };
}

/** From the innermost folder that all files are in; the name as it is for what is no file. */
function nameIn(sources: readonly SourceText[], { name, folder }: SourceText): string {
  if (folder === undefined) return name;
  const folders = sources.map((source) => (source.folder ?? "").split(sep));
  const [first = []] = folders;
  const end = first.findIndex((step, i) => folders.some((steps) => steps[i] !== step));
  const common = first.slice(0, end < 0 ? undefined : end).join(sep);
  const file = name.slice(name.lastIndexOf("/") + 1);
  return [...relative(common, folder).split(sep).filter(Boolean), file].join("/");
}
