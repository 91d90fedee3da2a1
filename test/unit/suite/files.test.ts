import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesOf, LONG_AREAS, projectOf, ROOT, startsPeer, TEST_FILES } from "../../suite/files.js";
import { LONG } from "../../suite/long.js";
import { LONG_STEPS, SHORT } from "../../suite/steps.js";

const projectsOf = (steps: typeof SHORT) =>
  steps.flatMap(({ run }) => ("projects" in run ? [...run.projects] : []));

it("each test file belongs to a project that npm test, test:long or test:webkit runs", () => {
  const run = new Set([...projectsOf(SHORT), ...projectsOf(LONG_STEPS), "webkit"]);
  expect(TEST_FILES.filter((file) => !run.has(projectOf(file)))).toEqual([]);
});

it("each project of a suite has a file", () => {
  const projects = [...projectsOf(SHORT), ...projectsOf(LONG_STEPS)];
  expect(projects.filter((name) => filesOf(name).length === 0)).toEqual([]);
  expect(projectsOf(LONG_STEPS)).toEqual([
    ...LONG_AREAS.map((area) => `long-${area}`),
    "properties",
    "firefox",
  ]);
});

it("each file that a project runs a second time exists", () => {
  const again = ["tls", "properties", "firefox"].flatMap(filesOf);
  expect(again.filter((file) => !TEST_FILES.includes(file))).toEqual([]);
});

it("no file has a second try only because of its folder", () => {
  expect(["served", "elsewhere"].filter((name) => startsPeer(`test/e2e/dashboard/${name}.test.ts`))).toEqual(
    [],
  );
});

it("each entry of the long suite names an existing file or folder once", () => {
  expect(LONG.filter((entry) => !existsSync(join(ROOT, entry)))).toEqual([]);
  expect(new Set(LONG).size).toBe(LONG.length);
});

it("the peers project has a file with each kind of real peer", () => {
  const walks = {
    "nginx and HAProxy": "test/fuzz/wire-peers.test.ts",
    rsyslog: "test/e2e/syslog/gateway.test.ts",
    Kafka: "test/e2e/broker-logger/gateway.test.ts",
    Redis: "test/e2e/captcha-store/redis.test.ts",
    Chromium: "test/e2e/captcha/browser/flow.test.ts",
  };
  for (const [peer, file] of Object.entries(walks)) expect(projectOf(file), peer).toBe("peers");
});

it("the steps of a suite have distinct names", () => {
  for (const steps of [SHORT, LONG_STEPS])
    expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length);
});
