import { Autocomplete, Button, Group, Modal, NativeSelect, PasswordInput, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { callAdmin, Refused, useWriteRefusal, type Written } from "../../../runtime/dashboard/plugin-kit";
import { routesQuery } from "./api";
import { useWriting } from "./writing";

interface ProtectRouteProps {
  /** Of one customer; the first is chosen. */
  siteKeys: readonly string[];
  /** Just made, and known here alone; absent: it is asked for. */
  apiKey?: string;
}

/** Puts the plugin into a route, so that its forms need a token: what else of it there is stays as it is. */
export function ProtectRoute(props: ProtectRouteProps) {
  const { t } = useTranslation();
  const why = useWriteRefusal();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" disabled={why !== undefined} title={why} onClick={() => setOpened(true)}>
        {t("captcha.protect")}
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={t("captcha.protect_title")}
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        <Protecting {...props} onDone={() => setOpened(false)} />
      </Modal>
    </>
  );
}

function Protecting({ siteKeys, apiKey = "", onDone }: ProtectRouteProps & { onDone(): void }) {
  const { t } = useTranslation();
  const { data: routes = [] } = useQuery(routesQuery);
  const [siteKey, setSiteKey] = useState(siteKeys[0] ?? "");
  const [route, setRoute] = useState("");
  const [key, setKey] = useState(apiKey);
  const { failure, writing, run } = useWriting();
  const isComplete = routes.includes(route) && siteKey !== "" && key !== "";
  async function protect(event: FormEvent) {
    event.preventDefault();
    // The dialog can be inside another form's.
    event.stopPropagation();
    const body = { plugins: { captcha: { site_key: siteKey, api_key: key } } };
    const done = await run(
      () => callAdmin<Written>(`routes/${encodeURIComponent(route)}`, { method: "PATCH", body }),
      () => t("captcha.protected", { route }),
    );
    if (done) onDone();
  }
  return (
    <form onSubmit={(event) => void protect(event)}>
      <Stack gap="md">
        <Refused failure={failure} />
        <Text size="sm">{t("captcha.protect_text")}</Text>
        <RouteInput routes={routes} route={route} onChange={setRoute} />
        {siteKeys.length > 1 ? (
          <NativeSelect
            label={t("captcha.site_key")}
            data={[...siteKeys]}
            value={siteKey}
            onChange={(event) => setSiteKey(event.currentTarget.value)}
          />
        ) : null}
        <PasswordInput
          label={t("captcha.api_key")}
          description={t("captcha.protect_key_hint")}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value.trim())}
          autoComplete="off"
          required
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={writing} disabled={!isComplete}>
            {t("captcha.protect_do")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface RouteInputProps {
  routes: readonly string[];
  route: string;
  onChange(route: string): void;
}

function RouteInput({ routes, route, onChange }: RouteInputProps) {
  const { t } = useTranslation();
  return (
    <Autocomplete
      label={t("captcha.protect_route")}
      placeholder={t("captcha.protect_route_hint")}
      data={[...routes]}
      limit={20}
      value={route}
      onChange={onChange}
      required
      data-autofocus
    />
  );
}
