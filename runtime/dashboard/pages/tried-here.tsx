import { Stack, Text, Textarea } from "@mantine/core";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { RegexTestInput } from "../api/regex";
import { MarkedText } from "../editor/marked-text";
import { LoadFailed } from "./elements";
import { Matches, TooLong, useTried, Verdict } from "./tried-regex";

/** Tests the filter of a field on a text, below the field: another browser tab would ask for the key again. */
export function TriedHere({ filter }: { filter: Omit<RegexTestInput, "subject"> }) {
  const { t } = useTranslation();
  const [subject, setSubject] = useState("");
  const { pattern, options, replace, scope, allow_slow } = filter;
  const asked = useMemo(
    (): RegexTestInput => ({ pattern, options, replace, scope, allow_slow, subject }),
    [pattern, options, replace, scope, allow_slow, subject],
  );
  const { answer, result, marks, error, refetch, tooLong } = useTried(asked);
  return (
    <Stack gap="xs" pl="md">
      <Stack gap={4}>
        <Text size="sm">{t("form.try_text")}</Text>
        <MarkedText label={t("form.try_text")} text={subject} marks={marks} onChange={setSubject} />
      </Stack>
      {error ? <LoadFailed error={error} retry={() => void refetch()} /> : null}
      {tooLong === undefined ? null : <TooLong bytes={tooLong} />}
      {answer ? (
        <>
          <Verdict asked={answer.of} tried={answer.tried} />
          {result ? <Matches asked={answer.of} result={result} /> : null}
          {result && answer.of.replace !== "" ? (
            <Textarea
              label={t("sandbox.replaced")}
              classNames={{ input: "code" }}
              autosize
              readOnly
              maxRows={8}
              value={result.replaced}
            />
          ) : null}
        </>
      ) : (
        <Text c="dimmed">{t("sandbox.empty")}</Text>
      )}
    </Stack>
  );
}
