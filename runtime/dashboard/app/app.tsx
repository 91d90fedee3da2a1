import { MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications, notifications } from "@mantine/notifications";
import { onlineManager, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { queries } from "../api/client";
import { fetchParts } from "../api/fetched-code";
import { KINDS, pluginsQuery, schemaOf, schemaQuery } from "../api/resources";
import { useOwner, useSession } from "../api/session";
import { SignIn } from "../pages/sign-in";
import { router } from "./router";
import { contrast, styleNonce, theme } from "./theme";

/** Drawers and modals of Mantine have z-index 200: a notification never covers their controls. */
const BELOW_DIALOGS = 199;

/**
 * Drops data with the key that fetched it. If a key is rejected, the pages stay hidden with their unsaved
 * text until the user signs in with a key of the same name.
 */
export function App() {
  const isSignedIn = useSession() !== undefined;
  const owner = useOwner();
  const owned = useRef(owner);
  if (owned.current !== owner) {
    owned.current = owner;
    queries.clear();
    notifications.clean();
  }
  useEffect(() => {
    onlineManager.setOnline(isSignedIn);
    return isSignedIn ? prefetchCode() : undefined;
  }, [isSignedIn]);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={contrast}
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <ModalsProvider>
          <Notifications position="bottom-right" limit={4} zIndex={BELOW_DIALOGS} />
          {owner === undefined ? null : (
            <div key={owner} hidden={!isSignedIn}>
              <RouterProvider router={router} />
            </div>
          )}
          {isSignedIn ? null : (
            <div className="over-all">
              <SignIn />
            </div>
          )}
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

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
function prefetchCode(): () => void {
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
