import { describe, expect, it } from "vitest";
import { templateOffences } from "../../compiler/emit/template-rules.js";
import { filesBelow, read } from "./sources.js";

const LONGEST = 25;
const templates = [...filesBelow("templates", ".hbs"), ...filesBelow("plugins", ".hbs")];
describe("templates decide nothing", () => {
  it.each(templates)("%s prints through printers only", (template) => {
    expect(templateOffences(read(template))).toEqual([]);
  });

  it.each(templates)("%s is short", (template) => {
    expect(read(template).trimEnd().split("\n").length).toBeLessThanOrEqual(LONGEST);
  });

  it("would notice each way around the printers", () => {
    expect(templateOffences("{{x}}")).toHaveLength(1);
    expect(templateOffences("{{{lit x}}}")).toHaveLength(1);
    expect(templateOffences("{{&lit x}}")).toHaveLength(1);
    expect(templateOffences("{{lit (lookup x y)}}")).toHaveLength(1);
    expect(templateOffences("{{#unless x}}a{{/unless}}")).toHaveLength(1);
    expect(templateOffences("{{#if a}}{{else}}{{#each b}}{{x}}{{/each}}{{/if}}")).toHaveLength(1);
  });
});
