/**
 * Bundles the screen with Ink, React and the layout engine (WebAssembly inside the file) into
 * `.build/cli/top/screen.bundle.js`: an installation needs none of these 40 packages, 25 MB for one command.
 */
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Removes the devtools, which Ink loads if DEV=true is in the environment. In one file they would always be
 * loaded, and are not installed.
 */
const WITHOUT_DEVTOOLS = {
  name: "without-devtools",
  resolveId: (id) => (id === "react-devtools-core" ? id : null),
  load: (id) => (id === "react-devtools-core" ? "export default {}" : null),
};

/** With CI in the environment, Ink draws nothing before the end. The screen always has a user at a terminal. */
const WITHOUT_CI = {
  name: "without-ci",
  resolveId: (id) => (id === "is-in-ci" ? id : null),
  load: (id) => (id === "is-in-ci" ? "export default false" : null),
};

await build({
  input: here("screen.tsx"),
  platform: "node",
  plugins: [WITHOUT_DEVTOOLS, WITHOUT_CI],
  transform: { define: { "process.env.NODE_ENV": '"production"' } },
  output: {
    file: here("../../../.build/cli/top/screen.bundle.js"),
    format: "esm",
    minify: true,
    codeSplitting: false,
  },
  logLevel: "warn",
});
