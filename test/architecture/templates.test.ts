import { describe, expect, it } from "vitest";
import { templateViolations } from "../../compiler/5-emit/template-rules.js";
import { filesBelow, read } from "./sources.js";

const LONGEST = 25;
const templates = [...filesBelow("templates", ".hbs"), ...filesBelow("plugins", ".hbs")];
describe("templates without decisions", () => {
  it.each(templates)("the template %s prints only through printers", (template) => {
    expect(templateViolations(read(template))).toEqual([]);
  });

  it.each(templates)("the template %s has at most 25 lines", (template) => {
    expect(read(template).trimEnd().split("\n").length).toBeLessThanOrEqual(LONGEST);
  });

  it("the check of templates detects each way around the printers", () => {
    expect(templateViolations("{{x}}")).toHaveLength(1);
    expect(templateViolations("{{{lit x}}}")).toHaveLength(1);
    expect(templateViolations("{{&lit x}}")).toHaveLength(1);
    expect(templateViolations("{{lit (lookup x y)}}")).toHaveLength(1);
    expect(templateViolations("{{#unless x}}a{{/unless}}")).toHaveLength(1);
    expect(templateViolations("{{#if a}}{{else}}{{#each b}}{{x}}{{/each}}{{/if}}")).toHaveLength(1);
  });
});
