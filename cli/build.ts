import type { Format } from "../compiler/diagnostics/render.js";
import { writeDist } from "../compiler/dist/write.js";
import { secretSpans } from "../compiler/secrets.js";
import { unsetSecretsOfFiles } from "../compiler/unset-secrets.js";
import { compilePaths, hasErrors, printFindings } from "./input.js";
import { chosenPaths } from "./paths.js";

interface BuildOptions {
  format: Format;
  out: string;
  typeCheck: boolean;
}

const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\x1b[2K\r${text}`);
};

/** `gwc build`: compile, check the generated modules, write the directory; nothing is written when anything is wrong. */
export async function build(paths: string[], options: BuildOptions): Promise<number> {
  const chosen = chosenPaths(paths);
  if (chosen === undefined) return 2;
  const started = performance.now();
  progress("compiling");
  const { sources, diagnostics, result, packages, bundles } = await compilePaths(chosen, { bundle: true });
  const findings = [...diagnostics, ...unsetSecretsOfFiles(sources, process.env)];
  if (result?.plan && result.artifact && !hasErrors(findings)) {
    const { artifact, plan, modules } = result;
    if (options.typeCheck) {
      progress(`checking ${modules.length} modules`);
      const { checkModules } = await import("../compiler/check/index.js");
      findings.push(
        ...checkModules(
          modules.map(({ text, content }) => ({ file: text.file, typescript: content, loadable: text.code })),
        ),
      );
    }
    if (!hasErrors(findings))
      findings.push(...writeDist(options.out, { ...result, artifact, plan, modules, packages, bundles }));
  }
  progress("");
  printFindings(
    options.format,
    { sources, diagnostics: findings },
    findings.length > 0 ? secretSpans(sources) : [],
  );
  if (hasErrors(findings)) return 1;
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  if (options.format === "text") {
    process.stdout.write(
      `${options.out}: ${result?.modules.length ?? 0} modules for ${result?.plan?.routes.length ?? 0} routes in ${seconds} s\n`,
    );
  }
  return 0;
}
