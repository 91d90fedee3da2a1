import { Alert, Button, Center, MantineProvider, Paper, PasswordInput, Stack, Title } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications, notifications } from "@mantine/notifications";
import { onlineManager, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError, queries, readSession } from "../api/client";
import { fetchParts } from "../api/fetched-code";
import { KINDS, pluginsQuery, schemaOf, schemaQuery } from "../api/resources";
import { isKeyRequired, signedOutBecause, signIn, useOwner, useSession } from "../api/session";
import { Dimmed } from "../pages/elements";
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

function SignIn() {
  const { t } = useTranslation();
  const [key, setKey] = useState("");
  const [failure, setFailure] = useState<string>();
  const [asking, setAsking] = useState(false);
  const because = signedOutBecause();
  const enter = useCallback(
    async (by: string) => {
      setAsking(true);
      setFailure(undefined);
      try {
        signIn(by, await readSession(by));
      } catch (error) {
        const refused = error instanceof AdminError;
        setFailure(
          !refused ? t("session.unreachable") : error.status === 401 ? t("session.wrong") : error.message,
        );
        setAsking(false);
      }
    },
    [t],
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    void enter(key);
  }
  useEffect(() => {
    if (because === "never" && !isKeyRequired()) void enter("");
  }, [because, enter]);
  return (
    <Center mih="100vh" p="lg" component="main">
      <Paper withBorder p="xl" w={400}>
        <form onSubmit={submit}>
          <Stack gap="md">
            <Title order={1}>{t("session.title")}</Title>
            {because !== "never" && failure === undefined ? (
              <Alert color={because === "refused" ? "yellow" : "gray"}>{t(`session.${because}`)}</Alert>
            ) : null}
            <PasswordInput
              label={t("session.key")}
              description={t("session.text")}
              error={failure}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              autoComplete="off"
              autoFocus
            />
            <Button type="submit" loading={asking}>
              {t("session.sign_in")}
            </Button>
            <Dimmed size="xs">gwc</Dimmed>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
