import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gwc, useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();

const UPSTREAM = 'upstream: { nodes: { "10.0.0.1:80": 1 } }';
/** Route in flow form with a diagnostic at the end of its line. */
const route = (plugins: string) => `routes:
  - { id: r, uri: /r, ${UPSTREAM}, plugins: ${plugins}, nonsense: 1 }
`;
const set = (fields: string) => route(`{ proxy-rewrite: { headers: { set: { ${fields} } } } }`);

const VARIABLES = {
  NAME: "Authorization",
  ALIAS: "Authorization",
  HEADER: "X-Shop",
  VARIABLE: "http_authorization",
  OPERATOR: "==",
};

const FORMS: Readonly<Record<string, string>> = {
  "a header in any case": set('AUTHORIZATION: "Bearer s3cret-one", X-Api-KEY: s3cret-two'),
  "a cookie": set("Cookie: sid=s3cret-one"),
  "credentials for a proxy": set("'Proxy-Authorization': 'Basic s3cret-one'"),
  "a header that key-auth takes credentials from": route(
    '{ key-auth: { header: X-Shop }, proxy-rewrite: { headers: { set: { "x-shop": s3cret-one } } } }',
  ),
  "a header as a line": route('{ response-rewrite: { headers: { add: ["Set-Cookie: sid=s3cret-one"] } } }'),
  "a condition": route(
    '{ response-rewrite: { _meta: { filter: [[http_authorization, "==", s3cret-one]] }, body: x } }',
  ),
  "a list in a condition": route(
    "{ response-rewrite: { _meta: { filter: [[cookie_session, in, [s3cret-one, s3cret-two]]] }, body: x } }",
  ),
  "a password in an address": route('{ redirect: { uri: "https://me:s3cret-one@a.example/" } }'),
  "a token in place of a user": route('{ redirect: { uri: "https://s3cret-one@a.example/" } }'),
  "an argument of an address": route('{ proxy-rewrite: { uri: "/a?x=1&access_token=s3cret-one" } }'),
  "an address with escapes": route('{ redirect: { uri: "https:\\/\\/me:s3cret-one\\u0040a.example/" } }'),
  "settings that are a text": route('{ key-auth: "s3cret-one" }'),
  "text over two lines": set('Authorization: "Bearer\n      s3cret-one", X-A: $nope'),
  "text of a block": `routes:
  - id: r
    uri: /r
    ${UPSTREAM}
    plugins:
      proxy-rewrite:
        headers:
          set:
            Authorization: >-
              Bearer
              s3cret-one $nope
`,
  "an alias": `routes:
  - id: r
    uri: /r
    nonsense: &shared "Bearer s3cret-one"
    ${UPSTREAM}
    plugins: { proxy-rewrite: { headers: { set: { Authorization: *shared } } } }
`,
  "a merge key": `routes:
  - { id: r, nonsense: &shared { Authorization: s3cret-one }, uri: /r, ${UPSTREAM}, plugins: { proxy-rewrite: { headers: { set: { <<: *shared, X-A: b } } } } }
`,
  "a header that a variable names": set('"${{NAME}}": s3cret-one'),
  "a line that a variable begins": route(
    '{ response-rewrite: { headers: { add: ["${{NAME}}: s3cret-one"] } } }',
  ),
  "a header that key-auth takes credentials from by a variable": route(
    '{ key-auth: { header: "${{HEADER}}" }, proxy-rewrite: { headers: { set: { "x-shop": s3cret-one } } } }',
  ),
  "a condition whose parts are variables": route(
    '{ response-rewrite: { _meta: { filter: [["${{VARIABLE}}", "${{OPERATOR}}", s3cret-one]] }, body: x } }',
  ),
  "a header that a variable without a value names": set('"${{UNSET}}": s3cret-one'),
  "a line that a variable without a value begins": route(
    '{ response-rewrite: { headers: { add: ["${{UNSET}}-Key: s3cret-one"] } } }',
  ),
  "a condition on a variable without a value": route(
    '{ response-rewrite: { _meta: { filter: [["${{UNSET}}", "==", s3cret-one]] }, body: x } }',
  ),
  "a condition with an operator without a value": route(
    '{ response-rewrite: { _meta: { filter: [[http_authorization, "${{UNSET}}", s3cret-one]] }, body: x } }',
  ),
  "two headers that variables give one name": set('"${{NAME}}": s3cret-one, "${{ALIAS}}": s3cret-two'),
  "a file that cannot be parsed": set('Authorization: "Bearer s3cret-one" X-A: b'),
  "a file with a broken line below": `${set('X-Api-Key: "s3cret-one"')}  - { id: [s, Authorization: s3cret-one, uri: /s }\n`,
};

describe("excerpts without credentials", () => {
  it.each(Object.entries(FORMS))("gwc check masks %s in the excerpts of every format", (_, text) => {
    writeFileSync(join(directory.path, "gateway.yaml"), text);
    for (const format of ["text", "json", "github", "sarif"]) {
      const { status, stdout, stderr } = gwc(directory.path, ["check", "--format", format], VARIABLES);
      expect(status).toBe(1);
      expect(`${stdout}${stderr}`).toMatch(/GW\d{4}/);
      expect(`${stdout}${stderr}`).not.toContain("s3cret");
    }
  });

  it("gwc check shows names of headers and variables next to masked credentials", () => {
    const fields = 'Authorization: "Basic s3cret-one ${{TOKEN}} $http_x ${arg_y}", X-A: $nope';
    writeFileSync(join(directory.path, "gateway.yaml"), set(fields));
    const { stderr } = gwc(directory.path, ["check"], { TOKEN: "t0ken-value" });
    expect(stderr).toContain("Authorization: ****** ********** ${{TOKEN}} $http_x ${arg_y}");
    expect(stderr).not.toMatch(/s3cret|t0ken/);
  });

  it("gwc check quotes no credential in a message", () => {
    const vars =
      '[[http_authorization, "==", "Bearer s3cret-one"], [http_authorization, "==", "s3cret-two"]]';
    const text = `routes:\n  - { id: r, uri: /r, vars: ${vars}, ${UPSTREAM}, plugins: { redirect: { uri: "https://me:s3cret-one@h/" } } }\n`;
    writeFileSync(join(directory.path, "gateway.yaml"), text);
    const { stdout } = gwc(directory.path, ["check", "--format", "json"]);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string }[] };
    expect(diagnostics.map(({ code }) => code)).toContain("GW4333");
    expect(stdout).not.toContain("s3cret");
  });
});

describe("messages of gwc check with escaped credentials", () => {
  it.each([
    ["a quote", 'q"r"c-s3cret-six'],
    ["a letter beyond ASCII and a backslash", "q\u00e9\\s3cret-seven"],
    ["a backslash at its beginning", "\\s3cret-eight"],
    ["a tab", "a\tb s3cret-nine"],
    ["percent-encoding", "%41%42 s3cret-ten"],
    ["a plus", "+a+s3cret-eleven"],
    ["capitals", "S3CRET-s3cret-twelve"],
    ["more than a message quotes", `"${"s3cret".repeat(40)}`],
    ["an unseen character", "a\u0007b\u200bs3cret-thirteen"],
  ])("gwc check quotes no credential with %s in a message", (_, value) => {
    const vars = [["http_authorization", "in", value]];
    const route = { id: "r", uri: "/r", vars, upstream: { nodes: { "10.0.0.1:80": 1 } } };
    writeFileSync(join(directory.path, "gateway.json"), JSON.stringify({ routes: [route] }));
    for (const format of ["text", "json", "github", "sarif"]) {
      const { stdout, stderr } = gwc(directory.path, ["check", "gateway.json", "--format", format]);
      expect(`${stdout}${stderr}`).toContain("GW4017");
      expect(`${stdout}${stderr}`).not.toMatch(/s3cret/i);
    }
  });
});

const SERVED = `routes:
  - id: r
    uri: /r
    vars: [[http_authorization, "==", "Bearer s3cret-one"]]
    ${UPSTREAM}
    plugins:
      proxy-rewrite: { uri: "/a?token=s3cret-two", headers: { set: { X-Api-Key: s3cret-three } } }
      response-rewrite:
        _meta: { filter: [[cookie_session, "==", s3cret-four]] }
        headers: { set: { X-Token: s3cret-five }, add: ["Set-Cookie: sid=s3cret-six; Path=/"] }
  - { id: s, uri: /s, plugins: { redirect: { uri: "https://a.example/?access_token=s3cret-seven" } } }
tests:
  - name: it is answered
    request: { target: /r, headers: ["Authorization: Bearer s3cret-one"] }
    expect:
      upstream_request: { target: "/a?token=s3cret-two", headers: { X-Api-Key: s3cret-three } }
      response: { status: 200 }
`;

describe("reports without credentials", () => {
  it.each([
    ["gwc plan", ["plan"]],
    ["gwc explain-route", ["explain-route", "r"]],
    ["gwc route", ["route", "GET", "http://a/r", "-H", "Authorization: Bearer s3cret-one"]],
    ["gwc check --explain", ["check", "--explain"]],
    ["gwc test with coverage and mutation", ["test", "--coverage", "--mutate"]],
    ["gwc test in JSON", ["test", "--coverage", "--mutate", "--format", "json"]],
  ])("%s prints no plain-text credential of the configuration", (_, args) => {
    writeFileSync(join(directory.path, "gateway.yaml"), SERVED);
    const { status, stdout, stderr } = gwc(directory.path, args);
    expect([status, stderr]).toEqual([0, stderr]);
    expect(stdout + stderr).not.toContain("s3cret");
  });

  it.each([["text"], ["json"]])("gwc test with failing expectations prints no credential as %s", (format) => {
    const failing = SERVED.replace("status: 200", "status: 201")
      .replace("X-Api-Key: s3cret-three }, response", "")
      .replace('target: "/a?token=s3cret-two"', 'target: "/b?token=s3cret-two"');
    writeFileSync(join(directory.path, "gateway.yaml"), failing);
    const { status, stdout } = gwc(directory.path, ["test", "--format", format]);
    expect(status).toBe(1);
    expect(stdout).not.toContain("s3cret");
  });

  it.each([["text"], ["json"]])("gwc diff prints no credential as %s", (format) => {
    writeFileSync(join(directory.path, "old.yaml"), SERVED);
    writeFileSync(join(directory.path, "new.yaml"), SERVED.replaceAll("s3cret", "s3cret-new"));
    const { stdout } = gwc(directory.path, ["diff", "old.yaml", "new.yaml", "--format", format]);
    expect(stdout).toMatch(/actions/);
    expect(stdout).not.toContain("s3cret");
  });
});
