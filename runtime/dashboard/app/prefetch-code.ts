import { fetchParts } from "../api/fetched-code";
import { queries } from "../api/queries";
import { KINDS, pluginsQuery, schemaOf, schemaQuery } from "../api/resources";
import { router } from "./router";

interface Loadable {
  preload?: () => Promise<unknown>;
}

/** Delay in ms after the first page, so that it does not wait for the prefetch. */
const AFTER_MS = 1_500;

/**
 * Prefetches the code of other pages, which then work while the gateway is down or after its upgrade, and no
 * reload loses the key. Schemas of editors take longest when an editor opens. A failed fetch is repeated on
 * demand.
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
