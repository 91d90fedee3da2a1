import { MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications, notifications } from "@mantine/notifications";
import { onlineManager, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { queries } from "../api/queries";
import { useOwner, useSession } from "../api/session";
import { SignIn } from "../pages/sign-in";
import { prefetchCode } from "./prefetch-code";
import { router } from "./router";
import { contrast, styleNonce, theme } from "./theme";

/** The kit's drawers and modals are at 200: what is told of a change never covers a control of theirs. */
const BELOW_DIALOGS = 199;

/**
 * The interface: a question for the key, then the pages. What was asked with one key is forgotten with it; below the question for
 * another key of the same name, since that one is refused, the pages wait with what was typed.
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
