/**
 * Bundles the screen with Ink, React and the layout engine (WebAssembly inside the file) into
 * `.build/cli/top/screen.bundle.js`: an installation needs none of these 40 packages, 25 MB for one command.
 */
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Replaces a package by a source text. */
const replaced = (name, source) => ({
  name: `without-${name}`,
  resolveId: (id) => (id === name ? id : null),
  load: (id) => (id === name ? source : null),
});

await build({
  input: here("screen.tsx"),
  platform: "node",
  plugins: [
    // Ink loads the devtools if DEV=true is in the environment. In one file they would always be loaded, and
    // are not installed.
    replaced("react-devtools-core", "export default {}"),
    // With CI in the environment, Ink draws nothing before the end. The screen always has a user at a terminal.
    replaced("is-in-ci", "export default false"),
  ],
  transform: { define: { "process.env.NODE_ENV": '"production"' } },
  output: {
    file: here("../../../.build/cli/top/screen.bundle.js"),
    format: "esm",
    minify: true,
    codeSplitting: false,
  },
  logLevel: "warn",
});
