import {
  Alert,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ClipboardEvent, type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type AskedRequest, askWhichRoute } from "../api/which-route";
import { whichRouteRoute } from "../app/router";
import { type CurlRequest, curlCommand, isCurl } from "./curl-command";
import { ToldView } from "./told-view";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** The request that is asked about: method and address stand in the page's own, so that a question can be sent to somebody. */
function useAsked() {
  const navigate = useNavigate();
  const { method = "GET", url = "" } = whichRouteRoute.useSearch();
  const [headers, setHeaders] = useState("");
  const [body, setBody] = useState("");
  const [stub, setStub] = useState<Stub>(EMPTY_200);
  /** A command that names no address yet; it may hold credentials, and so stays out of the page's address. */
  const [command, setCommand] = useState<string>();
  const say = (next: { method?: string; url?: string }) =>
    void navigate({ to: "/which-route", search: { method, url, ...next }, replace: true });

  /** An address, or a command of curl, which fills all fields. */
  function typed(text: string) {
    const read = curlCommand(text);
    setCommand(read === undefined && isCurl(text) ? text : undefined);
    if (read === undefined) return say({ url: isCurl(text) ? "" : text });
    setHeaders(linesOf(read));
    setBody(read.body ?? "");
    // Neither fields nor body: what the address holds ends in logs and histories.
    say({ method: read.method, url: read.url });
  }

  /** A field of one line would lose the ends of lines that a command is pasted with. */
  function pasted(event: ClipboardEvent) {
    const text = event.clipboardData.getData("text");
    if (!isCurl(text)) return;
    event.preventDefault();
    typed(text);
  }

  const asked = (): AskedRequest => ({
    method,
    url,
    headers: headersOf(headers),
    ...(body !== "" && { body }),
    ...(stub !== EMPTY_200 && { upstream_response: { ...stub, headers: headersOf(stub.headers) } }),
  });
  const fields = { method, url, command, headers, body, stub };
  return { ...fields, say, typed, pasted, setHeaders, setBody, setStub, asked };
}

/** Which route takes a request, why the others do not, and what upstream, client and logs get. */
export function WhichRoute() {
  const { t } = useTranslation();
  const { method, url, command, headers, body, stub, asked, ...change } = useAsked();
  const { say, typed, pasted, setHeaders, setBody, setStub } = change;
  const { mutate, data, error, isPending, variables } = useMutation({ mutationFn: askWhichRoute });
  const question = asked();
  /** An answer is not shown below another question. */
  const isAnswered = JSON.stringify(variables) === JSON.stringify(question);
  // Who was sent an address gets the answer, too.
  useAtFirst(() => (url === "" ? undefined : mutate(question)));
  function ask(event: FormEvent) {
    event.preventDefault();
    mutate(question);
  }
  return (
    <Stack gap="lg">
      <Title order={1}>{t("page.which_route")}</Title>
      <form onSubmit={ask}>
        <Stack gap="sm">
          <AddressLine {...{ method, url, command, say, typed, pasted, isPending }} />
          <Lines
            label={t("ask.headers")}
            hint="Accept: text/html"
            rows={2}
            value={headers}
            onChange={setHeaders}
          />
          <Lines label={t("ask.body")} rows={1} value={body} onChange={setBody} />
          <StubFields stub={stub} onChange={setStub} />
        </Stack>
      </form>
      {error && isAnswered ? (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      ) : null}
      {data && isAnswered ? (
        <ToldView told={data} answered={stub.status} />
      ) : (
        <Text c="dimmed">{t("ask.empty")}</Text>
      )}
    </Stack>
  );
}

interface AddressLineProps
  extends Pick<ReturnType<typeof useAsked>, "method" | "url" | "command" | "say" | "typed" | "pasted"> {
  isPending: boolean;
}

/** Method and address, and the question. */
function AddressLine({ method, url, command, say, typed, pasted, isPending }: AddressLineProps) {
  const { t } = useTranslation();
  return (
    <Group gap="sm" align="flex-end" wrap="nowrap">
      <Select
        w={120}
        label={t("ask.method")}
        data={METHODS}
        value={method}
        allowDeselect={false}
        onChange={(next) => say({ method: next ?? "GET" })}
      />
      <TextInput
        flex={1}
        label={t("ask.url")}
        placeholder={t("ask.url_hint")}
        value={command ?? url}
        error={command === undefined ? undefined : t("ask.no_address")}
        onPaste={pasted}
        classNames={{ input: "code" }}
        onChange={(event) => typed(event.currentTarget.value)}
      />
      <Button type="submit" loading={isPending} disabled={url === ""}>
        {t("ask.do")}
      </Button>
    </Group>
  );
}

/** Once, when the page is opened. */
function useAtFirst(act: () => void): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    act();
  });
}

/** What the upstream would answer: nobody is asked. */
interface Stub {
  status: number;
  /** One field a line. */
  headers: string;
  body: string;
}

const EMPTY_200: Stub = { status: 200, headers: "", body: "" };

function StubFields({ stub, onChange }: { stub: Stub; onChange(stub: Stub): void }) {
  const { t } = useTranslation();
  return (
    <details className="fold">
      <summary>{t("ask.stub")}</summary>
      <Stack gap="sm" pt="sm">
        <NumberInput
          w={120}
          label={t("ask.stub_status")}
          min={200}
          max={599}
          allowDecimal={false}
          value={stub.status}
          onChange={(next) => onChange({ ...stub, status: Number(next) })}
        />
        <Lines
          label={t("ask.stub_headers")}
          hint="Content-Type: application/json"
          rows={1}
          value={stub.headers}
          onChange={(headers) => onChange({ ...stub, headers })}
        />
        <Lines
          label={t("ask.stub_body")}
          rows={2}
          value={stub.body}
          onChange={(text) => onChange({ ...stub, body: text })}
        />
      </Stack>
    </details>
  );
}

interface LinesProps {
  label: string;
  hint?: string;
  rows: number;
  value: string;
  onChange(text: string): void;
}

function Lines({ label, hint, rows, value, onChange }: LinesProps) {
  return (
    <Textarea
      label={label}
      placeholder={hint}
      autosize
      minRows={rows}
      maxRows={8}
      value={value}
      classNames={{ input: "code" }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const linesOf = ({ headers }: CurlRequest): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** One field a line; a name that comes twice has both values. */
function headersOf(text: string): Record<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [, name = "", value = ""] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== "") headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return Object.fromEntries(headers);
}
