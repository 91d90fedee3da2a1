/**
 * Test files of `npm run test:long`, and folders (with a slash at the end): they judge by the clock, need minutes, or walk once more what
 * a file of `npm test` walks. A file comes back when its verdict needs no clock and it costs less than 20 s.
 */
export const LONG: readonly string[] = [
  // Hostile clients, upstreams and disks; programs that want tokens: pauses in ms, memory, thousands of connections.
  "test/attack/",
  "test/captcha-bots/",
  "test/captcha-solvers/",

  // Pages in a browser beyond the walks of flow, protected-form and specification.
  ...browserFiles(
    "accessibility-path axe callbacks container embedded-form emptied-containers expiry faults field invisible isolation keyboard language",
    "layout lifecycle living-pages looks memory motion operator patience person picture-tasks policies program reused-elements test-keys unresponsive width wrappers",
  ),
  ...dashboardFiles(
    "arrival attach away axe axe-pages captcha captcha-changes certificates compiled documentation effect elsewhere every-page fields forms history-of-files keyboard layout-shift list-keys logs new-resource nodes not-lost operate overview typed",
    "schema-words settings states taken-back told trace understand unreadable which-route",
  ),
  "test/e2e/captcha/deployments.test.ts",
  "test/e2e/start/captcha-demo.test.ts",

  // Outages, full disks, loads: records are counted over many seconds.
  "test/e2e/broker-logger/authentication.test.ts",
  "test/e2e/broker-logger/delivery.test.ts",
  "test/e2e/broker-logger/outage.test.ts",
  "test/e2e/captcha-store/full-disk.test.ts",
  "test/e2e/captcha-store/processes.test.ts",
  "test/e2e/http-logger/opensearch.test.ts",
  "test/e2e/http-logger/outage.test.ts",
  "test/e2e/spool/changes.test.ts",
  "test/e2e/spool/cli.test.ts",
  "test/e2e/spool/full-disk.test.ts",
  "test/e2e/spool/outages.test.ts",
  "test/e2e/spool/peers.test.ts",
  "test/e2e/syslog/outage.test.ts",
  "test/e2e/syslog/pressure.test.ts",
  "test/e2e/syslog/slow-server.test.ts",
  "test/e2e/syslog/throughput.test.ts",
  "test/e2e/tls/load.test.ts",

  // Verdicts in ms or MB: rates, pauses, ejection times, memory after garbage collections.
  "test/e2e/captcha-plugin/large-bodies.test.ts",
  "test/e2e/host/ejection.test.ts",
  "test/e2e/host/heap.test.ts",
  "test/e2e/log/long-bodies.test.ts",
  "test/e2e/metrics/alerts.test.ts",
  "test/e2e/metrics/sick-alerts.test.ts",
  "test/e2e/process/memory.test.ts",
  "test/e2e/process/shares.test.ts",
  "test/e2e/process/starvation.test.ts",
  "test/e2e/process/updates.test.ts",
  "test/e2e/process/watchdog.test.ts",
  "test/e2e/wire/min-rate.test.ts",
  "test/unit/log/long-bodies.test.ts",

  // More than 20 s, most of it starts of gateways and of gwc.
  "test/e2e/captcha/backends.test.ts",
  "test/e2e/captcha/process.test.ts",
  "test/e2e/cli/diff.test.ts",
  "test/e2e/cli/diff-repeatable.test.ts",
  "test/e2e/cli/diff-requests.test.ts",
  "test/e2e/cli/literal-credentials.test.ts",
  "test/e2e/cli/named-credentials.test.ts",
  "test/e2e/cli/named-files.test.ts",
  "test/e2e/cli/new-plugin.test.ts",
  "test/e2e/cli/release.test.ts",
  "test/e2e/cli/test-command.test.ts",
  "test/e2e/cli/verify.test.ts",
  "test/e2e/log/resources.test.ts",
  "test/e2e/plugins/author-messages.test.ts",
  "test/e2e/plugins/case-messages.test.ts",
  "test/e2e/plugins/contributions.test.ts",
  "test/e2e/plugins/declared-credentials.test.ts",
  "test/e2e/plugins/examples.test.ts",
  "test/e2e/plugins/import-limit.test.ts",
  "test/e2e/plugins/logger-package.test.ts",
  "test/e2e/plugins/new-package.test.ts",
  "test/e2e/plugins/packages.test.ts",
  "test/e2e/plugins/reserved-headers.test.ts",
  "test/e2e/plugins/runtime-part.test.ts",
  "test/e2e/process/container.test.ts",
  "test/e2e/process/earlier-version.test.ts",
  "test/e2e/process/full-disk.test.ts",
  "test/e2e/process/leftovers.test.ts",
  "test/e2e/process/policy-of-last-generation.test.ts",
  "test/e2e/process/production-page.test.ts",
  "test/e2e/process/saved-bundles.test.ts",
  "test/e2e/process/secrets.test.ts",
  "test/e2e/process/serves-early.test.ts",
  "test/e2e/process/start-stages.test.ts",
  "test/e2e/process/store.test.ts",
  "test/e2e/process/writable-build.test.ts",
  "test/e2e/tls/certificate-files-processes.test.ts",
  "test/e2e/build/memory.test.ts",
  "test/e2e/captcha/price.test.ts",
  "test/e2e/captcha-verify/go-client.test.ts",
  "test/property/accepted-loads.test.ts",
  "test/property/total.test.ts",

  // The full number of what a file of `npm test` proves with fewer runs.
  "test/unit/docs/threat-model-hours.test.ts",
];

function browserFiles(...names: string[]): string[] {
  return inFolder("test/e2e/captcha/browser", names);
}

function dashboardFiles(...names: string[]): string[] {
  return inFolder("test/e2e/dashboard", names);
}

function inFolder(folder: string, names: string[]): string[] {
  return names.flatMap((line) => line.split(" ")).map((name) => `${folder}/${name}.test.ts`);
}
