import { sha256 } from "./hash.js";

/** A package of plugins as builds list it. */
export interface PluginPackage {
  /** Of the plugin. */
  name: string;
  version: string;
  /** Lowest and highest number of the interface that it is made for. */
  abi: readonly [number, number];
  /** sha256, hex, over the package's own files. */
  hash: string;
}

/** What a plugin of a package does at run time, as one file. */
export interface PluginBundle extends PluginPackage {
  /** Names that generated modules may take from it. */
  exports: readonly string[];
  /** An ES module that imports nothing but modules of Node. */
  code: string;
  /** Licences of the modules in it. */
  licenses: string;
}

/** A bundle as a saved generation names it. */
export interface NamedBundle {
  name: string;
  /** sha256, hex, of the file. */
  hash: string;
  exports: readonly string[];
}

/** A bundle where a worker finds it. */
export interface PluginFile extends NamedBundle {
  /** Absolute path. */
  file: string;
}

/**
 * Path of a bundle below a build or a run directory, with digits of its hash: another bundle is another file. `.mjs`, since
 * Node 20 takes `.js` for CommonJS where no package.json says otherwise.
 */
export function bundlePath({ name, code }: Pick<PluginBundle, "name" | "code">): string {
  return namedBundlePath({ name, hash: sha256(code) });
}

export const namedBundlePath = ({ name, hash }: Pick<NamedBundle, "name" | "hash">): string =>
  `plugins/${name}-${hash.slice(0, 12)}.mjs`;

/** The licences beside it. */
export const licensesPath = (bundle: Pick<PluginBundle, "name" | "code">): string =>
  bundlePath(bundle).replace(/\.mjs$/, ".licenses.txt");
