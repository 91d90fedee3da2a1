import { join } from "node:path";

/**
 * Makes control rename `next`, if it exists, to the named file as soon as it has read that file.
 * @returns NODE_OPTIONS
 */
export function renamesBehindRead(directory: string, name: string): string {
  const [file, next] = [name, "next"].map((each) => JSON.stringify(join(directory, each)));
  const module = `import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { openSync, closeSync } = fs;
    const opened = new Set();
    fs.openSync = (path, ...more) => {
      const descriptor = openSync(path, ...more);
      if (path === ${file}) opened.add(descriptor);
      return descriptor;
    };
    fs.closeSync = (descriptor) => {
      closeSync(descriptor);
      if (opened.delete(descriptor) && fs.existsSync(${next})) fs.renameSync(${next}, ${file});
    };
    if (process.argv[1]?.includes("control-main")) syncBuiltinESMExports();`;
  return `--import data:text/javascript,${encodeURIComponent(module)}`;
}
