/**
 * Bundles the used parts of @platformatic/kafka into one file, which replaces the module of the same name
 * from `tsc`; see that module for the savings. Tree shaking removes unused modules: schema registries,
 * consumers and the admin client.
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
  // The package's main module reads its WebAssembly from a file next to it; this one contains it.
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
