import { Grid, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  DiagnosticsPanel,
  Dimmed,
  useDryRun,
  useWriteRefusal,
  type Value,
} from "../../../runtime/dashboard/plugin-kit";
import { type Version, write } from "./api";
import { FormButtons } from "./buttons";
import { CaptchaFields, Unsaved, useEditing } from "./editing";
import { LooksPreview } from "./in-page";

/** The id is in pages and cannot change, the customer is that of the section. */
const HIDDEN_FIELDS = ["id", "customer", "create_time", "update_time"];
/** Fields that affect who sees the widget and its tasks; the others are collapsed. */
const PRIMARY = {
  "": ["hostnames", "challenge_mode", "threshold", "task_types", "theme", "languages", "enabled", "desc"],
};

const textOf = (value: Value) => JSON.stringify(value, null, 2);

interface SiteKeyFormProps {
  /** Undefined for a new one. */
  id: string | undefined;
  beginning: Version;
  onDone(): void;
  /** Called when a new one was made. */
  onMade?(id: string): void;
}

export function SiteKeyForm({ id, beginning, onDone, onMade }: SiteKeyFormProps) {
  const { t } = useTranslation();
  const viewer = useWriteRefusal();
  const [named, setNamed] = useState(id ?? "");
  const isNew = id === undefined;
  const { origin } = beginning;
  const why = viewer ?? (origin === undefined ? undefined : t("captcha.set_in", { place: origin }));
  const editing = useEditing({ kind: "site-keys", id: named, isNew }, beginning, (written) =>
    t("captcha.site_key_of", { id: written }),
  );
  const { value, unreadable, writing, edit } = editing;
  const text = textOf(value);
  const begun = !isNew || named !== "" || text !== textOf(beginning.value);
  // The dry run applies to any version; the save reports a conflict.
  const target = { kind: "site-keys", id: named, ...(!isNew && { etag: null }) } as const;
  const dryRun = (draft: string, signal: AbortSignal) => write(target, draft, signal);
  const checked = useDryRun(["captcha/site-keys", named], text, why === undefined && begun, dryRun);
  async function save() {
    const written = await editing.save();
    if (written !== undefined) (onMade ?? onDone)(written);
  }
  return (
    <Stack gap="lg">
      {/* Above the form, as on other pages: notifications about saves cover the foot. */}
      <FormButtons
        word={t(isNew ? "captcha.make_site_key" : "captcha.save_site_key")}
        disabled={why !== undefined || unreadable.length > 0}
        title={why}
        loading={writing}
        onCancel={onDone}
        onClick={() => void save()}
      />
      <Unsaved editing={editing} onSaved={onDone} />
      {why === undefined ? null : <Text size="sm">{why}</Text>}
      <LooksPreview value={value} />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, sm: 7 }}>
          <Stack gap="md">
            {isNew ? <IdInput id={named} readOnly={why !== undefined} onChange={setNamed} /> : null}
            <CaptchaFields
              kind="site-keys"
              left={HIDDEN_FIELDS}
              primary={PRIMARY}
              {...{ value, unreadable, edit, readOnly: why !== undefined }}
            />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, sm: 5 }}>
          {why !== undefined ? null : begun ? (
            <DiagnosticsPanel {...checked} />
          ) : (
            <Dimmed>{t("findings.begin")}</Dimmed>
          )}
        </Grid.Col>
      </Grid>
    </Stack>
  );
}

function IdInput({ id, readOnly, onChange }: { id: string; readOnly: boolean; onChange(id: string): void }) {
  const { t } = useTranslation();
  return (
    <TextInput
      label={t("editor.id")}
      description={t("captcha.site_key_id")}
      value={id}
      readOnly={readOnly}
      onChange={(event) => onChange(event.currentTarget.value.trim())}
    />
  );
}
