import { describe, expect, it } from "vitest";
import { sortDiagnostics } from "../../../compiler/diagnostics/collector.js";
import { diagnostic } from "../../../compiler/diagnostics/report.js";
import type { Diagnostic, Span } from "../../../compiler/model/diagnostic.js";
import { renderGithub, renderJson, renderSarif } from "../../../compiler/report/render.js";
import { countText, renderText } from "../../../compiler/report/text.js";

const span = (line: number, column: number, end: number, file = "shop.yaml"): Span => ({
  file,
  start: { line, column },
  end: { line, column: end },
});
const finding = diagnostic(
  "GW2107",
  span(2, 3, 10),
  { field: "filters", other: "body" },
  { notes: [{ message: '"body" is set here', span: span(1, 1, 5) }] },
);
const source = (text: string) => ({ sources: [{ name: "shop.yaml", text, format: "yaml" as const }] });

describe("text", () => {
  it("the text of a diagnostic has its line with carets, its notes and its help", () => {
    expect(renderText([finding], source("body: x\n  filters: []\n"))).toBe(`\
shop.yaml:2:3 error GW2107: "filters" cannot be combined with "body"
  |
2 |   filters: []
  |   ^^^^^^^
  shop.yaml:1:1 note: "body" is set here
  help: keep one of the two; see \`gwc explain GW2107\`
`);
  });

  it("the text with colors differs from the plain text only by escape sequences", () => {
    const options = source("body: x\n  filters: []\n");
    const colored = renderText([finding], { ...options, color: true });
    expect(colored).toContain("\x1b[31;1merror\x1b[0m");
    expect(colored.replace(/\x1b\[[0-9;]*m/g, "")).toBe(renderText([finding], options));
  });

  it("the text has no line of an unknown file and no location for a diagnostic without a span", () => {
    const elsewhere = { ...finding, span: span(1, 1, 2, "other.yaml"), notes: [] };
    const { span: _, ...nowhere } = elsewhere;
    expect(renderText([elsewhere], source(""))).toMatch(/^other\.yaml:1:1 error GW2107: .*\n {2}help: .*\n$/);
    expect(renderText([nowhere as Diagnostic], source(""))).toMatch(/^error GW2107: /);
  });

  it("the text contains no control characters of a configuration", () => {
    const evil = { ...finding, message: "\x1b[2Jgone\r", notes: [] };
    expect(renderText([evil], source("a\n\x1b]0;title\x07\n"))).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });

  it("the text masks secrets of several lines", () => {
    const masks = [{ file: "shop.yaml", start: { line: 1, column: 6 }, end: { line: 3, column: 4 } }];
    const text = renderText([{ ...finding, span: span(2, 1, 4), notes: [] }], {
      ...source("key: |\n  abc\n  def\n"),
      masks,
    });
    expect(text).toContain("2 |   ***\n");
  });

  it("countText counts errors and warnings", () => {
    const warning: Diagnostic = { ...finding, severity: "warning" };
    expect([countText([]), countText([finding]), countText([finding, finding, warning])]).toEqual([
      "",
      "1 error",
      "2 errors, 1 warning",
    ]);
  });
});

describe("json", () => {
  it("the JSON output contains the diagnostics unchanged and their counts", () => {
    expect(JSON.parse(renderJson([finding]))).toEqual({ errors: 1, warnings: 0, diagnostics: [finding] });
  });
});

describe("github", () => {
  it("the GitHub output escapes characters that end a command or property", () => {
    const odd = {
      ...finding,
      message: "100%\nnext",
      span: span(2, 3, 10, "a,b:c.yaml"),
      notes: [],
      help: "h",
    };
    expect(renderGithub([odd])).toBe(
      "::error file=a%2Cb%3Ac.yaml,line=2,endLine=2,col=3,endColumn=10,title=GW2107::100%25%0Anext%0Ahelp: h\n",
    );
  });
});

describe("sarif", () => {
  it("the SARIF output has rule, level, location and related location of each result", () => {
    const log = JSON.parse(renderSarif([finding]));
    const [run] = log.runs;
    const [result] = run.results;
    expect(log.version).toBe("2.1.0");
    expect(run.tool.driver.rules[result.ruleIndex].id).toBe("GW2107");
    expect(result.level).toBe("error");
    expect(result.locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: "shop.yaml" },
      region: { startLine: 2, startColumn: 3, endLine: 2, endColumn: 10 },
    });
    expect(result.relatedLocations[0].message.text).toBe('"body" is set here');
  });
});

describe("sortDiagnostics", () => {
  it("sortDiagnostics orders by file, line and column, with diagnostics without a span first", () => {
    const at = (file: string, line: number, column: number) => ({
      ...finding,
      span: span(line, column, column, file),
    });
    const { span: _, ...nowhere } = finding;
    const sorted = [nowhere as Diagnostic, at("a", 2, 1), at("a", 10, 1), at("a", 10, 3), at("b", 1, 1)];
    expect(sortDiagnostics([...sorted].reverse())).toEqual(sorted);
  });
});
