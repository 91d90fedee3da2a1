/**
 * Builds the web interface into `.build/runtime/dashboard/pages/`: index.html, and below `assets/` files whose names carry a hash of their
 * content, each with its brotli and gzip forms beside it. `manifest.json` is the list of what may be asked for.
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
/** Below this a compressed form saves no packet. */
const LEAST_BYTES = 1_024;

rmSync(fresh, { recursive: true, force: true });
await build({
  root: source,
  configFile: false,
  base: "/gw/ui/",
  logLevel: "warn",
  publicDir: false,
  plugins: [react()],
  // Named by a part of the form library that its own tests use; with it ajv would come in, which compiles by eval.
  resolve: { alias: { "@rjsf/validator-ajv8": join(source, "forms/validator.ts") } },
  html: { cspNonce: "__GWC_NONCE__" },
  build: {
    outDir: fresh,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    // The polyfill is an inline script, which the policy forbids; every browser of the target preloads by itself.
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
// Only now, so that a mistake in the source leaves the last good build in its place.
mkdirSync(output, { recursive: true });
rmSync(output, { recursive: true });
renameSync(fresh, output);
