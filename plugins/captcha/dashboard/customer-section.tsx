import { Anchor, Badge, Group, Paper, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Dimmed, idOf, type Resource, useWriteRefusal } from "../../../runtime/dashboard/plugin-kit";
import { usersQuery } from "./api";
import { ApiKeys } from "./api-keys";
import { DeleteButton, EnabledButton } from "./buttons";
import { CustomerFields } from "./customer-dialog";
import { EditButton } from "./edit-dialog";
import { KeySection, Origin } from "./key-section";
import { ProtectRoute } from "./protect-route";
import { NewSiteKeyDrawer, type SiteKeyTab } from "./site-key-drawer";
import { hostsOf, isEnabled, modeOf, type Owned, ownerOf, thresholdOf } from "./values";

/** Maximum in a row; above that, the number of hosts is more useful. */
const SHOWN_HOSTS = 3;

const COLUMNS = ["site_key", "hostnames", "policy", "state", "actions"] as const;

export function CustomerSection({
  customer,
  siteKeys,
  apiKeys,
  onOpen,
}: Owned & { onOpen(id: string, tab?: SiteKeyTab): void }) {
  const { t } = useTranslation();
  const id = idOf(customer);
  const hasKeys = siteKeys.length + apiKeys.length > 0;
  const desc = customer.value["desc"];
  return (
    <Paper withBorder p="lg" component="section" aria-label={t("captcha.customer_of", { id })}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start">
          <Stack gap={0} miw={0}>
            <Group gap="sm">
              <Title order={2} className="wrapped">
                {id}
              </Title>
              <Enabled resource={customer} />
              <Origin resource={customer} />
            </Group>
            {typeof desc === "string" ? <Dimmed className="wrapped">{desc}</Dimmed> : null}
          </Stack>
          <CustomerActions customer={customer} hasKeys={hasKeys} />
        </Group>
        <SiteKeys customer={id} siteKeys={siteKeys} onOpen={onOpen} />
        <ApiKeys customer={id} apiKeys={apiKeys} siteKeys={siteKeys.map(idOf)} />
      </Stack>
    </Paper>
  );
}

function CustomerActions({ customer, hasKeys }: { customer: Resource; hasKeys: boolean }) {
  const { t } = useTranslation();
  const id = idOf(customer);
  return (
    <Group gap="sm">
      <EditButton
        kind="customers"
        resource={customer}
        title={t("captcha.customer_of", { id })}
        fields={({ value, unreadable, edit }) => <CustomerFields {...{ value, unreadable, edit }} />}
      />
      <EnabledButton
        kind="customers"
        id={id}
        enabled={isEnabled(customer)}
        text={<Text size="sm">{t("captcha.off_customers_text")}</Text>}
        isOfFile={customer.static !== undefined}
      />
      <DeleteButton
        kind="customers"
        id={id}
        text={<Text size="sm">{t("captcha.delete_customer_text")}</Text>}
        refusal={refusalOf(customer, t("captcha.of_file"), hasKeys ? t("captcha.has_keys") : undefined)}
      />
    </Group>
  );
}

/** Reason why nobody can delete it here. */
const refusalOf = (resource: Resource, ofFile: string, other?: string): string | undefined =>
  resource.static === undefined ? other : ofFile;

/** Shown only if it is not enabled. */
function Enabled({ resource }: { resource: Resource }) {
  const { t } = useTranslation();
  return isEnabled(resource) ? null : <Badge color="gray">{t("captcha.disabled")}</Badge>;
}

interface SiteKeysProps {
  customer: string;
  siteKeys: readonly Resource[];
  onOpen(id: string, tab?: SiteKeyTab): void;
}

function SiteKeys({ customer, siteKeys, onOpen }: SiteKeysProps) {
  const why = useWriteRefusal();
  const [making, setMaking] = useState(false);
  return (
    <KeySection
      kind="site_key"
      customer={customer}
      columns={COLUMNS}
      refusal={why}
      onAdd={() => setMaking(true)}
      rows={siteKeys.map((siteKey) => <SiteKeyRow key={idOf(siteKey)} siteKey={siteKey} onOpen={onOpen} />)}
    >
      {making ? (
        <NewSiteKeyDrawer
          customer={customer}
          onClose={() => setMaking(false)}
          // Continues with the code that a page needs.
          onMade={(id) => {
            setMaking(false);
            onOpen(id, "page");
          }}
        />
      ) : null}
    </KeySection>
  );
}

function SiteKeyRow({ siteKey, onOpen }: { siteKey: Resource; onOpen(id: string, tab?: SiteKeyTab): void }) {
  const { t } = useTranslation();
  const id = idOf(siteKey);
  const hosts = hostsOf(siteKey);
  const mode = modeOf(siteKey);
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          component="button"
          type="button"
          className="code wrapped"
          ta="start"
          onClick={() => onOpen(id)}
        >
          {id}
        </Anchor>
        <Origin resource={siteKey} />
      </Table.Td>
      <Table.Td maw={280}>
        <Text size="sm" className="wrapped">
          {hosts.slice(0, SHOWN_HOSTS).join(", ")}
          {hosts.length > SHOWN_HOSTS
            ? ` ${t("captcha.more_hosts", { count: hosts.length - SHOWN_HOSTS })}`
            : ""}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm">
          {t(`captcha.mode_${mode}`, { threshold: thresholdOf(siteKey), defaultValue: mode })}
        </Text>
        {siteKey.value["shadow"] === true ? <Dimmed size="xs">{t("captcha.shadow")}</Dimmed> : null}
      </Table.Td>
      <Table.Td>
        <Text size="sm">{t(isEnabled(siteKey) ? "captcha.enabled" : "captcha.disabled")}</Text>
      </Table.Td>
      <Table.Td>
        <SiteKeyActions siteKey={siteKey} />
      </Table.Td>
    </Table.Tr>
  );
}

function SiteKeyActions({ siteKey }: { siteKey: Resource }) {
  const { t } = useTranslation();
  const id = idOf(siteKey);
  return (
    <Group gap="sm" wrap="nowrap">
      <ProtectRoute
        customer={ownerOf(siteKey)}
        siteKeys={[id]}
        size="xs"
        label={t("captcha.protect_with", { id })}
      />
      <EnabledButton
        kind="site-keys"
        id={id}
        enabled={isEnabled(siteKey)}
        text={<SiteKeyStops id={id} text={t("captcha.off_site_key_text")} />}
        isOfFile={siteKey.static !== undefined}
      />
      <DeleteButton
        kind="site-keys"
        id={id}
        text={<SiteKeyStops id={id} text={t("captcha.delete_site_key_text")} />}
        refusal={refusalOf(siteKey, t("captcha.of_file"))}
      />
    </Group>
  );
}

/** Maximum; above that, the number of names is more useful. */
const SHOWN = 12;

/** Pages, and the gateway's resources that verify its tokens. */
function SiteKeyStops({ id, text }: { id: string; text: string }) {
  const { t } = useTranslation();
  const { data: users = [] } = useQuery(usersQuery(id));
  const more = users.length - SHOWN;
  return (
    <Stack gap="xs">
      <Text size="sm">{text}</Text>
      {users.length > 0 ? (
        <>
          <Text size="sm">{t("captcha.verified_by", { count: users.length })}</Text>
          <Text size="sm" className="code wrapped">
            {users.slice(0, SHOWN).join(", ")}
          </Text>
        </>
      ) : null}
      {more > 0 ? <Text size="sm">{t("captcha.more_hosts", { count: more })}</Text> : null}
    </Stack>
  );
}
