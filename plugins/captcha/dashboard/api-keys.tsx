import { Badge, Group, Table, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  Dimmed,
  exactly,
  fromNow,
  idOf,
  type Resource,
  useWriteRefusal,
  type Value,
} from "../../../runtime/dashboard/plugin-kit";
import { ApiKeyDialog, ApiKeyFields } from "./api-key-dialog";
import { DeleteButton, EnabledButton } from "./buttons";
import { EditButton } from "./edit-dialog";
import { KeySection, Origin } from "./key-section";
import { expiryOf, isGood, type KeyState, madeAt, stateOf } from "./values";

const COLUMNS = ["api_key", "made", "expires", "state", "actions"] as const;
const COLOURS: Readonly<Record<KeyState, string>> = {
  live: "green",
  expiring: "yellow",
  revoked: "gray",
  expired: "red",
};
/** Key in use and its replacement; the compiler rejects a third (GW3050). */
const LIVE_KEYS = 2;

interface ApiKeysProps {
  customer: string;
  apiKeys: readonly Resource[];
  siteKeys: readonly string[];
}

/** Never shows texts, which only the maker of a key has seen. */
export function ApiKeys({ customer, apiKeys, siteKeys }: ApiKeysProps) {
  const { t } = useTranslation();
  const viewer = useWriteRefusal();
  const [making, setMaking] = useState(false);
  const now = Date.now();
  const live = apiKeys.filter((one) => isGood(stateOf(one, now))).length;
  const why = viewer ?? (live >= LIVE_KEYS ? t("captcha.two_live") : undefined);
  return (
    <KeySection
      kind="api_key"
      customer={customer}
      columns={COLUMNS}
      refusal={why}
      onAdd={() => setMaking(true)}
      rows={apiKeys.map((apiKey) => (
        <ApiKeyRow key={idOf(apiKey)} apiKey={apiKey} state={stateOf(apiKey, now)} />
      ))}
    >
      <ApiKeyDialog
        customer={customer}
        siteKeys={siteKeys}
        opened={making}
        onClose={() => setMaking(false)}
      />
    </KeySection>
  );
}

function ApiKeyRow({ apiKey, state }: { apiKey: Resource; state: KeyState }) {
  const { t } = useTranslation();
  const id = idOf(apiKey);
  const made = madeAt(apiKey);
  const isOfFile = apiKey.static !== undefined;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" className="code">
          {id}
        </Text>
        {typeof apiKey.value["desc"] === "string" ? (
          <Dimmed size="xs" className="wrapped">
            {apiKey.value["desc"]}
          </Dimmed>
        ) : null}
        <Origin resource={apiKey} />
      </Table.Td>
      <Table.Td>
        <When at={made === undefined ? undefined : made * 1_000} none="–" />
      </Table.Td>
      <Table.Td>
        <When at={expiryOf(apiKey)} none={t("captcha.never")} />
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={COLOURS[state]}>
          {t(`captcha.key_${state}`)}
        </Badge>
      </Table.Td>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <EditApiKey apiKey={apiKey} />
          {state === "expired" ? null : (
            <EnabledButton
              kind="api-keys"
              id={id}
              enabled={state !== "revoked"}
              text={<Text size="sm">{t("captcha.revoke_text")}</Text>}
              isOfFile={isOfFile}
            />
          )}
          <DeleteButton
            kind="api-keys"
            id={id}
            text={<Text size="sm">{t("captcha.delete_api_key_text")}</Text>}
            refusal={isOfFile ? t("captcha.of_file") : undefined}
          />
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function EditApiKey({ apiKey }: { apiKey: Resource }) {
  const { t } = useTranslation();
  return (
    <EditButton
      kind="api-keys"
      resource={apiKey}
      title={t("captcha.api_key_made", { id: idOf(apiKey) })}
      fields={({ value: { desc, expires, ...rest }, edit }) => (
        <ApiKeyFields
          desc={typeof desc === "string" ? desc : ""}
          expires={expires}
          onDesc={(text) => edit(withTerms(rest, text, expires))}
          onExpires={(moment) => edit(withTerms(rest, desc, moment))}
        />
      )}
    />
  );
}

const withTerms = (rest: Value, desc: unknown, expires: unknown): Value => ({
  ...rest,
  ...(desc !== undefined && desc !== "" && { desc }),
  ...(expires !== undefined && { expires }),
});

function When({ at, none }: { at: number | undefined; none: string }) {
  const { i18n } = useTranslation();
  if (at === undefined || Number.isNaN(at)) return <Text size="sm">{none}</Text>;
  return (
    <Text size="sm" component="time" dateTime={new Date(at).toISOString()} title={exactly(at, i18n.language)}>
      {fromNow((at - Date.now()) / 1_000, i18n.language)}
    </Text>
  );
}
