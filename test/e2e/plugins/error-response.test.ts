// `_meta.error_response` is sent by the plugin: the compiler warns about a plugin that does not send it, and
// checks those that do with its text.
import { afterEach, beforeEach, expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";
import { configuration, definition, packageFiles, writeFiles } from "../../support/plugin-package.js";

let site: ReturnType<typeof temporaryDirectory>;
beforeEach(() => {
  site = temporaryDirectory();
});
afterEach(() => site.remove());

/**
 * Output of `gwc check` for a plugin that responds with 503, with or without the configured error response.
 */
function checked(parts: string, settings: object) {
  const fields = `phases: ["access"],
  plan: (_, context) => [{ phase: "access", origin: context.origin([]), data: null }],
  describe: ({ errorResponse }) => ["answers 503 with " + (errorResponse ?? "nothing")],
  ${parts}`;
  const files = packageFiles("away", {
    "index.js": `import { byteString } from "gwc/plugin";\n${definition("away", fields)}`,
    "access.hbs": 'x.respond(503, {{expr refusal}}, "text/plain");\nreturn;\n',
  });
  writeFiles(site.path, {
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`away/${path}`, text])),
    "gateway.yaml": configuration(["./away"], { away: { value: "a", ...settings } }),
  });
  const { status, stderr } = gwc(site.path, ["check"]);
  return { status, stderr };
}

const SENT =
  'view: (step, printer) => ({ refusal: printer.bytes(byteString(step.errorResponse ?? "away"), "refusal") }),';
const UNSENT = 'view: (_, printer) => ({ refusal: printer.literal("away") }),';
const GIVEN = { _meta: { error_response: { message: "mine" } } };

it("gwc check warns about an error response that the plugin never reads", () => {
  const { status, stderr } = checked(UNSENT, GIVEN);
  expect(status).toBe(0);
  expect(stderr).toMatch(
    /^gateway\.yaml:9:\d+ warning GW4050: away sends no error response here, so this one has no effect/,
  );
});

it("gwc check reports nothing if the view or the plan reads the error response, or if none is given", () => {
  expect(checked(SENT, GIVEN).stderr).toContain("nothing to report");
  expect(checked(UNSENT, {}).stderr).toContain("nothing to report");
  const read = `plan: (_, context) => [{ phase: "access", origin: context.origin([]), data: { answer: context.errorResponse ?? "away" } }],
    view: ({ data }, printer) => ({ refusal: printer.literal(data.answer) }),`;
  expect(checked(read, GIVEN).stderr).toContain("nothing to report");
});

it("gwc check reports an error response that the view cannot print", () => {
  const cut =
    'view: (step, printer) => ({ refusal: printer.bytes(step.errorResponse ?? "away", "refusal") }),';
  const { status, stderr } = checked(cut, { _meta: { error_response: "5 €" } });
  expect(status).toBe(1);
  expect(stderr).toContain("GW7010");
  expect(stderr).toContain('"5 €" is no byte string');
});
