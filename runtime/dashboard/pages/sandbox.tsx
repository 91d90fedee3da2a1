import {
  Alert,
  Checkbox,
  Grid,
  Group,
  Select,
  Skeleton,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RegexTestInput } from "../api/regex";
import { useAddressSoon } from "../app/address-soon";
import { sandboxRoute } from "../app/router";
import { MarkedText } from "../editor/marked-text";
import { LoadFailed } from "./elements";
import { Matches, TooLong, useTried, Verdict } from "./tried-regex";

/** The filter under test. All of it except the text is in the URL, so that it can be shared. */
function useAsked() {
  const navigate = useNavigate();
  const search = sandboxRoute.useSearch();
  const [asked, setAsked] = useState<RegexTestInput>({
    pattern: search.pattern ?? "",
    options: search.options ?? "",
    replace: search.replace ?? "",
    scope: search.scope ?? "global",
    allow_slow: search.allow_slow ?? false,
    subject: "",
  });
  const address = useAddressSoon(({ pattern, options, replace, scope, allow_slow: slow }: RegexTestInput) => {
    void navigate({
      to: "/sandbox",
      search: {
        pattern: pattern || undefined,
        options: options || undefined,
        replace: replace || undefined,
        scope: scope === "once" ? scope : undefined,
        allow_slow: slow || undefined,
      },
      replace: true,
    });
  });
  const say = (next: Partial<RegexTestInput>) => {
    const said = { ...asked, ...next };
    setAsked(said);
    address(said);
  };
  return { asked, say };
}

/** Height that keeps the text below in place when the verdict appears. */
const HEIGHT_OF_VERDICT = { base: 281, md: 220 };

/** Tests a regular expression on a text with the gateway's own body filter. */
export function Sandbox() {
  const { t } = useTranslation();
  const { asked, say } = useAsked();
  const { answer, result, marks, error, refetch, tooLong } = useTried(asked);
  return (
    <Stack gap="lg">
      <Title order={1}>{t("page.sandbox")}</Title>
      <FilterFields asked={asked} say={say} />
      {error ? <LoadFailed error={error} retry={() => void refetch()} /> : null}
      {answer ? (
        <Verdict asked={answer.of} tried={answer.tried} />
      ) : asked.pattern !== "" && !error && tooLong === undefined ? (
        <Skeleton h={HEIGHT_OF_VERDICT} aria-busy />
      ) : (
        <Text c="dimmed">{t("sandbox.empty")}</Text>
      )}
      {tooLong === undefined ? null : <TooLong bytes={tooLong} />}
      <Texts {...{ asked, result, marks, say }} />
      {answer && result ? <Matches asked={answer.of} result={result} /> : null}
    </Stack>
  );
}

interface Said {
  asked: RegexTestInput;
  say(next: Partial<RegexTestInput>): void;
}

function FilterFields({ asked, say }: Said) {
  const { t } = useTranslation();
  const code = {
    classNames: { input: "code" },
    spellCheck: false,
    autoCapitalize: "off",
    autoComplete: "off",
  };
  return (
    <Grid gap="sm" align="flex-end">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Textarea
          {...code}
          label={t("sandbox.pattern")}
          placeholder="\b\d{4} (\d{4})\b"
          autosize
          minRows={1}
          maxRows={8}
          value={asked.pattern}
          onChange={(event) => say({ pattern: event.currentTarget.value })}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 5, md: 2 }}>
        <TextInput
          {...code}
          label={t("sandbox.options")}
          placeholder="imsxu"
          value={asked.options}
          onChange={(event) => say({ options: event.currentTarget.value })}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 7, md: 2 }}>
        <Scope asked={asked} say={say} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <TextInput
          {...code}
          label={t("sandbox.replace")}
          placeholder="**** $1"
          value={asked.replace}
          onChange={(event) => say({ replace: event.currentTarget.value })}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Group h={36} align="center">
          <Checkbox
            label={t("sandbox.allow_slow")}
            checked={asked.allow_slow}
            onChange={(event) => say({ allow_slow: event.currentTarget.checked })}
          />
        </Group>
      </Grid.Col>
    </Grid>
  );
}

function Scope({ asked, say }: Said) {
  const { t } = useTranslation();
  return (
    <Select
      label={t("sandbox.scope")}
      data={[
        { value: "global", label: t("sandbox.global") },
        { value: "once", label: t("sandbox.once") },
      ]}
      value={asked.scope}
      allowDeselect={false}
      onChange={(next) => say({ scope: next === "once" ? "once" : "global" })}
    />
  );
}

type TextsProps = Said & Pick<ReturnType<typeof useTried>, "result" | "marks">;

function Texts({ asked, result, marks, say }: TextsProps) {
  const { t } = useTranslation();
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 6 }} className="effect">
        <Stack gap="xs">
          <Title order={2}>{t("sandbox.body")}</Title>
          <MarkedText
            label={t("sandbox.body")}
            text={asked.subject}
            marks={marks}
            onChange={(subject) => say({ subject })}
          />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }} className="effect">
        <Stack gap="xs">
          <Title order={2}>{t("sandbox.replaced")}</Title>
          <Textarea
            aria-label={t("sandbox.replaced")}
            classNames={{ input: "code" }}
            autosize
            readOnly
            minRows={6}
            maxRows={24}
            value={result?.replaced ?? ""}
          />
          {result && !result.utf8 ? <Alert color="yellow">{t("sandbox.not_utf8")}</Alert> : null}
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
