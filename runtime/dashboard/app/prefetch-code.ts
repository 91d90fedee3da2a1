import { fetchParts } from "../api/fetched-code";
import { queries } from "../api/queries";
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
export function prefetchCode(): () => void {
  const timer = setTimeout(() => {
    const pages = Object.values(router.routesById).map(({ options }) =>
      (options.component as Loadable | undefined)?.preload?.(),
    );
    void Promise.allSettled(pages).then(fetchParts);
    void queries.prefetchQuery(pluginsQuery);
    for (const kind of KINDS) void queries.prefetchQuery(schemaQuery(schemaOf(kind)));
  }, AFTER_MS);
  return () => clearTimeout(timer);
}
