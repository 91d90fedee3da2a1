import { Skeleton } from "@mantine/core";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
} from "@tanstack/react-router";
import { queries } from "../api/client";
import { fetchedCode } from "../api/fetched-code";
import { type HistorySearch, ORIGINS } from "../api/history";
import { isKind, type Kind, resourceQuery } from "../api/resources";
import { NotFound, PageFailed } from "../pages/elements";
import { Shell } from "./shell";

function kindOf({ kind }: { kind: string }): { kind: Kind } {
  if (!isKind(kind)) throw notFound();
  return { kind };
}

/** Complete state of a list in the URL, so that it can be shared. */
export interface ListSearch {
  /** Words that rows must contain; `plugin:`, `method:`, `host:`, `label:` and `status:` name a column. */
  q?: string;
  sort?: string;
}

/** The filter under test. Default scope: global. */
export interface SandboxSearch {
  pattern?: string;
  options?: string;
  replace?: string;
  scope?: "once";
  allow_slow?: true;
}

export interface PluginsSearch {
  documentation?: string;
  q?: string;
}

export interface PluginPageSearch {
  open?: string;
  q?: string;
}

/** The simulated request, without parts that may hold credentials. */
export interface WhichRouteSearch {
  method?: string;
  url?: string;
  client?: string;
  /** A real node of the upstream sends the response. */
  answer?: "live";
}

/** A trace, or the initial values of the form for a new one. */
export interface TraceSearch {
  id?: string;
  unrouted?: true;
}

export interface EditorSearch {
  tab?: "form" | "yaml" | "json";
  /** Id of the resource that a new one copies. */
  from?: string;
}

const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
const tabs = new Set(["form", "yaml", "json"]);

/** Shows errors of `fetchedCode`; the router's own loader would reload the page, which loses the key. */
const laterPage = <Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent(() => fetchedCode(load), name);

const root = createRootRoute({
  component: () => (
    <Shell>
      <Outlet />
    </Shell>
  ),
  notFoundComponent: NotFound,
});

export const overviewRoute = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: ({ range }): { range?: "hour" } => (range === "hour" ? { range } : {}),
  component: laterPage(() => import("../pages/overview"), "Overview"),
});

export const pluginsRoute = createRoute({
  getParentRoute: () => root,
  path: "/plugins",
  validateSearch: ({ documentation, q }): PluginsSearch => ({
    documentation: text(documentation),
    q: text(q),
  }),
  component: laterPage(() => import("../pages/plugins"), "Plugins"),
});

export const whichRouteRoute = createRoute({
  getParentRoute: () => root,
  path: "/which-route",
  validateSearch: ({ method, url, client, answer }): WhichRouteSearch => ({
    ...{ method: text(method), url: text(url), client: text(client) },
    answer: answer === "live" ? answer : undefined,
  }),
  component: laterPage(() => import("../pages/which-route"), "WhichRoute"),
});

export const traceRoute = createRoute({
  getParentRoute: () => root,
  path: "/trace",
  validateSearch: ({ id, unrouted }): TraceSearch => ({
    id: text(id),
    unrouted: unrouted === true ? true : undefined,
  }),
  component: laterPage(() => import("../pages/trace"), "TracePage"),
});

export const sandboxRoute = createRoute({
  getParentRoute: () => root,
  path: "/sandbox",
  validateSearch: ({ pattern, options, replace, scope, allow_slow: slow }): SandboxSearch => ({
    pattern: text(pattern),
    options: text(options),
    replace: text(replace),
    scope: scope === "once" ? scope : undefined,
    allow_slow: slow === true ? slow : undefined,
  }),
  component: laterPage(() => import("../pages/sandbox"), "Sandbox"),
});

export const historyRoute = createRoute({
  getParentRoute: () => root,
  path: "/history",
  validateSearch: ({ search, origin, kind, id }): HistorySearch => ({
    search: text(search),
    origin: ORIGINS.find((one) => one === origin),
    kind: text(kind),
    id: text(id),
  }),
  component: laterPage(() => import("../pages/history"), "History"),
});

const logs = createRoute({
  getParentRoute: () => root,
  path: "/logs",
  component: laterPage(() => import("../pages/logs"), "Logs"),
});

export const pluginPageRoute = createRoute({
  getParentRoute: () => root,
  path: "/plugin/$page",
  validateSearch: ({ open, q }): PluginPageSearch => ({ open: text(open), q: text(q) }),
  component: laterPage(() => import("../pages/plugin-page"), "PluginsPage"),
});

export const listRoute = createRoute({
  getParentRoute: () => root,
  path: "/$kind",
  params: { parse: kindOf, stringify: ({ kind }) => ({ kind }) },
  validateSearch: ({ q, sort }): ListSearch => ({ q: text(q), sort: text(sort) }),
  component: laterPage(() => import("../pages/resource-list"), "ResourceList"),
});

const editorSearch = ({ tab, from }: Record<string, unknown>): EditorSearch => ({
  tab: tabs.has(String(tab)) ? (tab as EditorSearch["tab"]) : undefined,
  from: text(from),
});

export const newRoute = createRoute({
  getParentRoute: () => root,
  path: "/new/$kind",
  params: { parse: kindOf, stringify: ({ kind }) => ({ kind }) },
  validateSearch: editorSearch,
  component: laterPage(() => import("../pages/new-resource-page"), "NewResourcePage"),
});

/** Time in ms for which the previous page stays while the next one loads. */
const SOON_MS = 150;

const ONE = {
  parse: ({ kind, id }: { kind: string; id: string }) => ({ ...kindOf({ kind }), id }),
  stringify: ({ kind, id }: { kind: Kind; id: string }) => ({ kind, id }),
};

export const moduleRoute = createRoute({
  getParentRoute: () => root,
  path: "/module/$kind/$id",
  params: ONE,
  // Config path of the selected part: "routes/shop uri".
  validateSearch: ({ at }): { at?: string } => ({ at: text(at) }),
  component: laterPage(() => import("../pages/module"), "ModulePage"),
});

export const resourceRoute = createRoute({
  getParentRoute: () => root,
  path: "/$kind/$id",
  params: ONE,
  validateSearch: editorSearch,
  // Fetched during the navigation, so that no frame is empty. The page repeats a failed fetch and shows the error.
  loader: ({ params: { kind, id } }) => queries.prefetchQuery({ ...resourceQuery(kind, id), retry: false }),
  // A change of the tab fetches nothing.
  staleTime: Number.POSITIVE_INFINITY,
  pendingMs: SOON_MS,
  pendingMinMs: 0,
  pendingComponent: () => <Skeleton h={320} aria-busy />,
  component: laterPage(() => import("../pages/resource-page"), "ResourcePage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overviewRoute,
    pluginsRoute,
    whichRouteRoute,
    traceRoute,
    sandboxRoute,
    historyRoute,
    logs,
    pluginPageRoute,
    moduleRoute,
    newRoute,
    listRoute,
    resourceRoute,
  ]),
  basepath: "/gw/ui",
  // Each page has its own, so that the navigation stays if one fails.
  defaultErrorComponent: PageFailed,
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
