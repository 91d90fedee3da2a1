import { Alert, Stack, Text, Title } from "@mantine/core";
import { type FormEvent, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { type Answering, AnswerOf, CommandNotes, Lines, RequestLine } from "./request-form";
import { useAnswer, useWhichRoute } from "./use-which-route";
import { WhichRouteView } from "./which-route-view";

export function WhichRoute() {
  const { t } = useTranslation();
  const asked = useWhichRoute();
  const { headers, body, stub, notes, answering, question, edit } = asked;
  const { data, error, isPending, ask } = useAnswer(question, asked.answered);
  // A URL with a request simulates it at once; nothing is sent to an upstream without a click.
  useAtFirst(() => (asked.url === "" || question.live ? undefined : ask()));
  function send(event: FormEvent) {
    event.preventDefault();
    ask();
  }
  return (
    <Stack gap="lg">
      <Title order={1}>{t("page.which_route")}</Title>
      <form onSubmit={send}>
        <Stack gap="sm">
          <RequestLine {...asked} isPending={isPending} />
          <CommandNotes notes={notes} />
          <Lines
            label={t("ask.headers")}
            hint="Accept: text/html"
            rows={2}
            value={headers}
            onChange={(next) => edit({ headers: next })}
          />
          <Lines label={t("ask.body")} rows={1} value={body} onChange={(next) => edit({ body: next })} />
          <AnswerOf
            {...{ stub, answering }}
            onStub={(next) => edit({ stub: next })}
            onAnswering={(next: Answering) => asked.say({ answer: next === "live" ? next : undefined })}
          />
        </Stack>
      </form>
      {error === null ? null : (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
      {data === undefined ? (
        <Text c="dimmed">{t("ask.empty")}</Text>
      ) : (
        <WhichRouteView told={data} answered={stub.status} />
      )}
    </Stack>
  );
}

/** Runs an action once, when the page is opened. */
function useAtFirst(act: () => void): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    act();
  });
}
