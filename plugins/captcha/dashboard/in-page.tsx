import { Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Value } from "../../../runtime/dashboard/plugin-kit";
import { Dimmed } from "../../../runtime/dashboard/plugin-kit";
import { Copied } from "./copied";
import { type KeyLooks, type Looks, looksOf, Preview, SIZES, STATES, THEMES } from "./preview";
import { ProtectRoute } from "./protect-route";
import { curlOf, htmlOf, type Place, pluginOf } from "./snippets";

type Chosen = Partial<Looks>;

function chosenLooks({ languages, theme }: KeyLooks, chosen: Chosen): Looks {
  const language = languages.find((one) => one === chosen.language) ?? languages[0] ?? "ru";
  return { theme, size: "normal", state: "idle", ...chosen, language };
}

export function LooksPreview({ value }: { value: Value }) {
  const key = looksOf(value);
  const [chosen, setChosen] = useState<Chosen>({});
  // A choice of the widget's page is no setting of the key: this preview shows the key's own theme.
  const { theme: _, ...others } = chosen;
  return <Chooser keyLooks={key} looks={chosenLooks(key, others)} onChoose={setChosen} />;
}

export function InPage({ value, place }: { value: Value; place: Place }) {
  const { t } = useTranslation();
  const key = looksOf(value);
  const [chosen, setChosen] = useState<Chosen>({});
  const looks = chosenLooks(key, chosen);
  return (
    <Stack gap="lg">
      <Chooser keyLooks={key} looks={looks} onChoose={setChosen} withTheme />
      <Dimmed>{t("captcha.preview_text")}</Dimmed>
      <Copied title={t("captcha.html")} text={htmlOf(place, looks, key)} />
      <Copied title={t("captcha.curl")} text={curlOf(place)} />
      <Text size="sm">{t("captcha.curl_text")}</Text>
      <Group justify="space-between">
        <Text size="sm">{t("captcha.protect_or")}</Text>
        <ProtectRoute customer={String(value["customer"])} siteKeys={[place.siteKey]} />
      </Group>
      <Copied title={t("captcha.plugin")} text={pluginOf(place)} />
    </Stack>
  );
}

interface ChooserProps {
  keyLooks: KeyLooks;
  looks: Looks;
  withTheme?: boolean;
  onChoose(looks: Looks): void;
}

function Chooser({ keyLooks, looks, withTheme = false, onChoose }: ChooserProps) {
  const { t } = useTranslation();
  const offered = {
    language: keyLooks.languages,
    ...(withTheme && { theme: THEMES }),
    size: SIZES,
    state: STATES,
  };
  return (
    <Stack gap="md" component="section" aria-label={t("captcha.preview")}>
      <Preview {...looks} operator={keyLooks.operator} />
      <Group>
        {Object.entries(offered).map(([name, values]) => (
          <NativeSelect
            key={name}
            label={t(`captcha.look_${name}`)}
            value={looks[name as keyof Looks]}
            data={values.map((one) => ({ value: one, label: t(`captcha.look_${name}_${one}`) }))}
            onChange={(event) => onChoose({ ...looks, [name]: event.currentTarget.value })}
          />
        ))}
      </Group>
    </Stack>
  );
}
