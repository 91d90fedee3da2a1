import type { QueryClient } from "@tanstack/react-query";
import { PLUGIN_PAGES } from "../../../plugins/dashboard";
import { KINDS, pluginsQuery, schemaOf, schemaQuery } from "../api/resources";
import { router } from "./router";

interface Loadable {
  preload?: () => Promise<unknown>;
}

/** After the first page is there, so that it waits for none of this. */
const AFTER_MS = 1_500;

/**
 * Fetches what the pages beyond the first need: a gateway that is away, or is another version by then, still has its pages, and
 * nobody's key is lost to a reload. The schemas that editors are made of come with it: they take longer than all else that an editor
 * waits for. What does not come is asked for again when it is needed.
 * @returns stops it
 */
export function fetchLaterCode(queries: QueryClient): () => void {
  const timer = setTimeout(() => {
    const pages = Object.values(router.routesById).map(({ options }) =>
      (options.component as Loadable | undefined)?.preload?.(),
    );
    const parts = [
      ...PLUGIN_PAGES.map((page) => page.load()),
      import("../editor/text-editor"),
      import("../forms/schema-form"),
      import("../pages/chart"),
      import("../pages/sparkline"),
    ];
    const schemas = KINDS.map((kind) => queries.prefetchQuery(schemaQuery(schemaOf(kind))));
    void Promise.allSettled([...pages, ...parts, queries.prefetchQuery(pluginsQuery), ...schemas]);
  }, AFTER_MS);
  return () => clearTimeout(timer);
}
