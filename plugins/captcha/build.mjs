/**
 * Builds the captcha's code for browsers into `.build/plugins/captcha/widget/`: the wrappers for frameworks
 * (`gwc/captcha/react`) and the widget. The root's tsc builds the rest; `npm run build` runs this after it.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

execFileSync(at("../../node_modules/.bin/tsc"), ["-p", at("widget/wrappers/tsconfig.json")], {
  stdio: "inherit",
});
await import("./widget/build.mjs");
