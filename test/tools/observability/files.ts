import { dashboardJson } from "./dashboard.js";
import { OVERVIEW } from "./dashboard-overview.js";
import { ROUTES, UPSTREAMS } from "./dashboards.js";
import { CAPTCHA, LOGS } from "./dashboards-parts.js";
import { ALERTS, GROUPS, rulesText } from "./rules.js";

export const DIRECTORY = "docs/observability";
export const README: string = `${DIRECTORY}/README.md`;
export const DASHBOARDS = [OVERVIEW, ROUTES, UPSTREAMS, LOGS, CAPTCHA] as const;

const [BEGIN, END] = ["<!-- alerts: made of test/tools/observability -->\n", "<!-- /alerts -->\n"];
const HEADINGS: Readonly<Record<string, string>> = {
  gateway: "The gateway\n\nIts processes, their configuration, certificates and the machine below them.",
  traffic: "Requests and upstreams\n\nWhat clients get, how fast, and what stands behind the gateway.",
  logs: "Logs\n\nRecords of requests on their way to syslog or a broker, their spools, and the access log.",
  captcha: "The captcha\n\nThe service, and the plugin at the routes that asks it.",
};

/** Alerts that fire in a test with a gateway that runs, and Debian's Prometheus (test/e2e/metrics). */
export const LIVE: readonly string[] = [
  ...["GwcCaptchaUnavailable", "GwcCaptchaUnverified", "GwcCertificateExpires", "GwcCertificateExpiresNow"],
  ...["GwcConnectionsRefused", "GwcDown", "GwcErrors", "GwcHandshakesFail", "GwcLastKnownGood"],
  ...["GwcLogDeliveryFails", "GwcLogEntriesDropped", "GwcMetricsFolded", "GwcNodeOut", "GwcReloadFailed"],
  ...["GwcRetriesDenied", "GwcRouteErrors", "GwcSlow", "GwcSpoolEntriesDropped", "GwcSpoolFills"],
  ...["GwcSyslogMessagesCut", "GwcUpstreamDown", "GwcWorkerStalled", "GwcWritesFail"],
];

/** Readers see which alerts were seen at a gateway, and which at made-up series alone. */
function shownText(): string {
  const others = ALERTS.map(({ name }) => name).filter((name) => !LIVE.includes(name));
  const list = (names: readonly string[]) =>
    names.map((name) => `[${name}](#${name.toLowerCase()})`).join(", ");
  return `## How each is shown to fire

By series that are made up, \`promtool test rules\` shows that each alert fires, and that none does at a healthy gateway. These ${LIVE.length} fire also at a gateway that runs, to which what they tell of happens,
before Debian's Prometheus: ${list(LIVE)}.

The others were seen with made-up series alone: ${list(others)}.
`;
}

function alertsText(): string {
  const sections = Array.from(GROUPS, ([name, alerts]) => {
    const texts = alerts.map(
      ({ name: alert, severity, for: held, expr, means, action }) =>
        `### ${alert}\n\n${severity}${held === "0s" ? "" : `, after ${held}`}\n\n\`\`\`promql\n${expr}\n\`\`\`\n\n${means}\n\n**Do:** ${action}\n`,
    );
    return `## ${HEADINGS[name] ?? name}\n\n${texts.join("\n")}`;
  });
  return `${BEGIN}\n${[...sections, shownText()].join("\n")}\n${END}`;
}

/** The README with the alerts as the rules have them. @param text as it is; what stands around them is written by hand */
export function readmeText(text: string): string {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${README} has no place for the alerts`);
  return text.slice(0, from) + alertsText() + text.slice(to + END.length);
}

/** Text of each file by its path. */
export function observabilityFiles(): Map<string, string> {
  const dashboards = DASHBOARDS.map((dashboard): [string, string] => [
    `${DIRECTORY}/dashboards/${dashboard.id}.json`,
    `${JSON.stringify(dashboardJson(dashboard), null, 2)}\n`,
  ]);
  return new Map([[`${DIRECTORY}/alerts.yaml`, rulesText()], ...dashboards]);
}
