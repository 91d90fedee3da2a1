/**
 * Bundles the screen of `gwc top` with Ink, React and the layout engine (WebAssembly inside the file) into
 * `.build/cli/top/screen.bundle.js`. An installation has none of these 40 packages: 25 MB for one command.
 */
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Ink loads it where DEV=true is in the environment; in one file it would be asked for always, and nobody has it. */
const WITHOUT_DEVTOOLS = {
  name: "without-devtools",
  resolveId: (id) => (id === "react-devtools-core" ? id : null),
  load: (id) => (id === "react-devtools-core" ? "export default {}" : null),
};

/** Ink draws nothing before the end where CI is in the environment. The screen is asked for by somebody at a terminal; nobody else gets here. */
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
