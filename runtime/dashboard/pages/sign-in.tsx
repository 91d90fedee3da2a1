import { Alert, Button, Center, Paper, PasswordInput, Stack, Title } from "@mantine/core";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError, readSession } from "../api/client";
import { isKeyRequired, signedOutBecause, signIn } from "../api/session";
import { Dimmed } from "./elements";

export function SignIn() {
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
