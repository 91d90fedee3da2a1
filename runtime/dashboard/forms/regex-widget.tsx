import { Button, Skeleton, Stack } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";
import { Suspense, useContext, useState } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../api/fetched-code";
import type { RegexTestInput } from "../api/regex";
import { inputProps, textIn } from "./input-props";
import { SiblingFieldsContext } from "./sibling-fields";
import { TextBox } from "./text-box";

const TriedHere = lazyPart(async () => (await import("../pages/tried-here")).TriedHere);

export function RegexWidget(props: WidgetProps) {
  const { t } = useTranslation();
  const [isTried, setTried] = useState(false);
  const pattern = textIn(props.value);
  const filter = useFilter(pattern);
  return (
    <Stack gap={4}>
      <TextBox
        {...inputProps(props)}
        value={pattern}
        isCode
        onChange={(next) => props.onChange(next === "" ? undefined : next)}
      />
      <Button
        size="compact-xs"
        variant="subtle"
        w="fit-content"
        aria-expanded={isTried}
        onClick={() => setTried(!isTried)}
      >
        {t("form.try_it")}
      </Button>
      {isTried ? (
        <Suspense fallback={<Skeleton h={160} aria-busy />}>
          <TriedHere filter={filter} />
        </Suspense>
      ) : null}
    </Stack>
  );
}

/** The filter with its sibling fields: a test with another scope could show a text as masked that is not. */
function useFilter(pattern: string): Omit<RegexTestInput, "subject"> {
  const { options, replace, scope, allow_slow } = useContext(SiblingFieldsContext);
  return {
    pattern,
    options: typeof options === "string" ? options : "",
    replace: typeof replace === "string" ? replace : "",
    scope: scope === "global" ? scope : "once",
    allow_slow: allow_slow === true,
  };
}
