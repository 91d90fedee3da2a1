/**
 * Puts what is used of @platformatic/kafka into one file, over the module of the same name that `tsc` has written: see there for
 * what it saves. Modules whose exports nobody uses are left out, as are schema registries, consumers and the administration.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const MODULE = "runtime/platformatic-library";
const near = createRequire(createRequire(import.meta.url).resolve("@platformatic/kafka"));

await build({
  input: fileURLToPath(new URL(`./${MODULE}.ts`, import.meta.url)),
  platform: "node",
  treeshake: { moduleSideEffects: false },
  // Its main module reads its WebAssembly from a file beside it; this one has it inside.
  resolve: {
    alias: {
      "@platformatic/wasm-utils": near
        .resolve("@platformatic/wasm-utils")
        .replace(/index\.js$/, "bundled.js"),
    },
  },
  output: {
    file: fileURLToPath(new URL(`../../.build/plugins/broker-logger/${MODULE}.js`, import.meta.url)),
    format: "esm",
  },
  logLevel: "warn",
});
