/**
 * Builds `.build/runtime/dashboard/pages/`: index.html, and `assets/` with a content hash in their names,
 * each with brotli and gzip variants. `manifest.json` lists the files that are served.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build } from "vite";

const source = fileURLToPath(new URL(".", import.meta.url));
const output = fileURLToPath(new URL("../../.build/runtime/dashboard/pages/", import.meta.url));
const fresh = `${output.slice(0, -1)}.new/`;

const TYPES = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
/** Minimum size in bytes for compression: below it, compression saves no packet. */
const LEAST_BYTES = 1_024;

rmSync(fresh, { recursive: true, force: true });
await build({
  root: source,
  configFile: false,
  base: "/gw/ui/",
  logLevel: "warn",
  publicDir: false,
  plugins: [react()],
  // A part of the form library that only its tests use imports it. It would add ajv, which compiles by eval.
  resolve: { alias: { "@rjsf/validator-ajv8": join(source, "forms/validator.ts") } },
  html: { cspNonce: "__GWC_NONCE__" },
  build: {
    outDir: fresh,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    // The polyfill is an inline script, which the policy forbids; every target browser preloads by itself.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2_000,
  },
});

const files = {};
for (const name of readdirSync(join(fresh, "assets")).sort()) {
  const type = TYPES[extname(name)];
  if (type === undefined) throw new Error(`no media type is known for ${name}`);
  const path = join(fresh, "assets", name);
  const bytes = readFileSync(path);
  const codings = bytes.length < LEAST_BYTES || extname(name) === ".woff2" ? [] : ["br", "gzip"];
  if (codings.length > 0) {
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    );
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
  files[name] = { type, codings };
}
writeFileSync(join(fresh, "manifest.json"), `${JSON.stringify(files, null, 2)}\n`);
// Replaced last, so that an error in the source keeps the last good build.
mkdirSync(output, { recursive: true });
rmSync(output, { recursive: true });
renameSync(fresh, output);
