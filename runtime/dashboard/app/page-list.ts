import {
  type Icon,
  IconAdjustments,
  IconCertificate,
  IconDashboard,
  IconHistory,
  IconLogs,
  IconPlug,
  IconRegex,
  IconRoute,
  IconServer,
  IconStack2,
  IconTimeline,
  IconUsers,
  IconWorld,
  IconZoomQuestion,
} from "@tabler/icons-react";
import { PLUGIN_PAGES } from "../../../plugins/dashboard";
import type { Kind } from "../api/resources";
import type { TextKey } from "../i18n/en";
import type { PluginPage } from "../plugin-page";

export interface Page {
  to:
    | "/"
    | "/plugins"
    | "/which-route"
    | "/trace"
    | "/sandbox"
    | "/history"
    | "/logs"
    | "/$kind"
    | "/plugin/$page";
  params?: { kind: Kind } | { page: string };
  path: string;
  label: TextKey | PluginLabel;
  key: string;
  icon: Icon;
}

type PluginLabel = `page.plugin.${string}`;
export const pluginLabel = ({ name }: PluginPage): PluginLabel => `page.plugin.${name}`;

const listOf = (kind: Kind, key: string, icon: Icon): Page => ({
  to: "/$kind",
  params: { kind },
  path: `/${kind}`,
  label: `page.${kind}`,
  key,
  icon,
});

const ofPlugin = (page: PluginPage): Page => ({
  to: "/plugin/$page",
  params: { page: page.name },
  path: `/plugin/${page.name}`,
  label: pluginLabel(page),
  key: page.key,
  icon: page.icon,
});

/** Pages of the navigation, with the key that follows `g`. */
export const PAGES: readonly Page[] = [
  { to: "/", path: "/", label: "page.overview", key: "o", icon: IconDashboard },
  listOf("routes", "r", IconRoute),
  listOf("services", "s", IconStack2),
  listOf("upstreams", "u", IconServer),
  listOf("plugin_configs", "c", IconAdjustments),
  { to: "/plugins", path: "/plugins", label: "page.plugins", key: "p", icon: IconPlug },
  listOf("global_rules", "g", IconWorld),
  listOf("consumers", "m", IconUsers),
  listOf("ssls", "t", IconCertificate),
  ...PLUGIN_PAGES.map(ofPlugin),
  { to: "/logs", path: "/logs", label: "page.logs", key: "l", icon: IconLogs },
  { to: "/which-route", path: "/which-route", label: "page.which_route", key: "w", icon: IconZoomQuestion },
  { to: "/trace", path: "/trace", label: "page.trace", key: "a", icon: IconTimeline },
  { to: "/sandbox", path: "/sandbox", label: "page.sandbox", key: "x", icon: IconRegex },
  { to: "/history", path: "/history", label: "page.history", key: "h", icon: IconHistory },
];
