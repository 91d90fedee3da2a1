import { decisionLines } from "../compiler/4-plan/decisions.js";
import { certificateFileDiagnostics } from "../compiler/certificates/files.js";
import { sortDiagnostics } from "../compiler/diagnostics/collector.js";
import { hasErrors } from "../compiler/model/diagnostic.js";
import { pipelinesOf } from "../compiler/model/plan.js";
import { locationsOf } from "../compiler/model/source-locations.js";
import { spansOf } from "../compiler/report/redact-report.js";
import { plainSecretsOfFiles } from "../compiler/secrets/plain-secrets.js";
import { unsetSecretsOfFiles, withUnsetCertificates } from "../compiler/secrets/unset-variables.js";
import { compilePaths, noted, printDiagnostics, type ReportedOptions } from "./input.js";
import { Progress, pluralize } from "./output.js";
import { chosenPaths } from "./paths.js";
import { faultsOfTests, secretTextsOfTests, testsInFiles } from "./test/suite.js";

interface CheckOptions extends ReportedOptions {
  strict?: boolean;
  /** Also prints the decisions about each plugin. */
  explain?: boolean;
}

/** `gwc check`: prints all diagnostics, also those of tests; exit 1 on errors, with `strict` also on warnings. */
export async function check(paths: string[], options: CheckOptions): Promise<number> {
  const chosen = chosenPaths(paths, options.config);
  if (chosen === undefined) return 2;
  const progress = new Progress(options.quiet === true);
  progress.stage("checking");
  const compiled = await compilePaths(chosen, { bundle: true, findingsOnly: true, policy: options.policy });
  const { sources, result } = compiled;
  const tests = testsInFiles(sources);
  const ofTests = faultsOfTests(tests, result, sources);
  const diagnostics = sortDiagnostics([
    ...withUnsetCertificates(compiled.diagnostics, sources, process.env),
    ...ofTests,
    ...unsetSecretsOfFiles(sources, process.env),
    ...(result ? plainSecretsOfFiles(result) : []),
    ...(result ? certificateFileDiagnostics(result, process.cwd(), Math.floor(Date.now() / 1000)) : []),
  ]);
  const shown = noted(diagnostics, options);
  progress.end();
  const hidden = ofTests.length === 0 ? [] : spansOf(sources, secretTextsOfTests(tests, result, sources));
  printDiagnostics(
    options.format,
    { ...compiled, diagnostics: shown },
    { hidden, color: options.color, hasJson: true },
  );
  if (options.format === "text" && shown.length === 0 && options.quiet !== true)
    process.stderr.write(`${pluralize(result?.plan?.routes.length ?? 0, "route")}, nothing to report\n`);
  if (options.explain === true && result?.plan !== undefined) {
    const lines = decisionLines(pipelinesOf(result.plan), locationsOf(result.resources));
    // In a machine format, standard output holds only the document.
    const stream = options.format === "text" ? process.stdout : process.stderr;
    stream.write(lines.map((line) => `${line}\n`).join(""));
  }
  return hasErrors(diagnostics) ||
    (options.strict === true && diagnostics.some(({ severity }) => severity !== "note"))
    ? 1
    : 0;
}
