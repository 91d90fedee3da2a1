import { Autocomplete, Button, Group, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { useWhichRoute } from "./use-which-route";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

interface RequestLineProps
  extends Pick<
    ReturnType<typeof useWhichRoute>,
    "method" | "url" | "client" | "command" | "answering" | "say" | "typed" | "pasted"
  > {
  isPending: boolean;
}

export function RequestLine(props: RequestLineProps) {
  const { method, url, client, command, answering, say, typed, pasted, isPending } = props;
  const { t } = useTranslation();
  return (
    <Group gap="sm" align="flex-end">
      <Autocomplete
        w={120}
        label={t("ask.method")}
        data={METHODS}
        // Always lists all methods, because the input usually already contains one.
        filter={({ options }) => options}
        value={method}
        classNames={{ input: "code" }}
        onChange={(next) => say({ method: next.trim() })}
      />
      <TextInput
        flex={1}
        miw={220}
        label={t("ask.url")}
        placeholder={t("ask.url_hint")}
        value={command ?? url}
        error={command === undefined ? undefined : t("ask.no_address")}
        onPaste={(event) => pasted(event)}
        classNames={{ input: "code" }}
        onChange={(event) => typed(event.currentTarget.value)}
      />
      <TextInput
        w={170}
        label={t("ask.client")}
        placeholder="127.0.0.1"
        value={client ?? ""}
        classNames={{ input: "code" }}
        onChange={({ currentTarget: { value } }) =>
          say({ client: value.trim() === "" ? undefined : value.trim() })
        }
      />
      <Button type="submit" loading={isPending} disabled={url === ""}>
        {t(answering === "live" ? "ask.send" : "ask.do")}
      </Button>
    </Group>
  );
}

interface LinesProps {
  label: string;
  hint?: string;
  rows: number;
  value: string;
  onChange(text: string): void;
}

export function Lines({ label, hint, rows, value, onChange }: LinesProps) {
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
