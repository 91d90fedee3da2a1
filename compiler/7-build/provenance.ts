import { relative, sep } from "node:path";
import { MANIFEST } from "../../runtime/abi/build-files.js";
import { sha256 } from "../../runtime/abi/hash.js";
import { VERSION } from "../../runtime/abi/version.js";
import type { LoadedPackage } from "../model/package.js";
import type { SourceText } from "../model/source.js";

/** Inputs of a build. */
export interface Origins {
  sources: readonly SourceText[];
  packages: readonly LoadedPackage[];
  /** Commit that was checked out; `changed`: the files differ from it. Absent without a repository. */
  revision?: { commit: string; changed: boolean } | undefined;
}

/**
 * In-toto statement with the predicate SLSA provenance v1 about the build with this manifest. It has no
 * dates, hosts or absolute paths: files are named relative to their common folder.
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

/** Name relative to the innermost folder that contains all files. A source that is no file keeps its name. */
function nameIn(sources: readonly SourceText[], { name, folder }: SourceText): string {
  if (folder === undefined) return name;
  const folders = sources.map((source) => (source.folder ?? "").split(sep));
  const [first = []] = folders;
  const end = first.findIndex((step, i) => folders.some((steps) => steps[i] !== step));
  const common = first.slice(0, end < 0 ? undefined : end).join(sep);
  const file = name.slice(name.lastIndexOf("/") + 1);
  return [...relative(common, folder).split(sep).filter(Boolean), file].join("/");
}
