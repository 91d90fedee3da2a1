import {
  Alert,
  Autocomplete,
  Button,
  Group,
  Modal,
  NativeSelect,
  PasswordInput,
  Stack,
  Text,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  callAdmin,
  changeOf,
  idOf,
  notifyFailure,
  Rejection,
  useLive,
  useWriteRefusal,
  type WriteAnswer,
} from "../../../runtime/dashboard/plugin-kit";
import { accessDenials, type Denial, makeApiKey, type Protectable, routesQuery } from "./api";
import { FormButtons } from "./buttons";
import { Copied } from "./copied";
import { useWriting } from "./editing";
import { pluginOf } from "./snippets";

interface ProtectRouteProps {
  customer: string;
  /** Keys of that customer; the first is selected. */
  siteKeys: readonly string[];
  /** Just made, and known here alone; if absent, the dialog asks for it. */
  apiKey?: string;
  size?: "xs";
  /** Accessible name of the button, if a page has several. */
  label?: string;
}

/** Adds the plugin to a route; the rest of the route stays unchanged. */
export function ProtectRoute({ size, label, ...props }: ProtectRouteProps) {
  const { t } = useTranslation();
  const why = useWriteRefusal();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        {...(size && { size })}
        aria-label={label}
        disabled={why !== undefined}
        title={why}
        onClick={() => setOpened(true)}
      >
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

function Protecting({ customer, siteKeys, apiKey = "", onDone }: ProtectRouteProps & { onDone(): void }) {
  const { t } = useTranslation();
  const { data: routes } = useQuery(routesQuery);
  const [siteKey, setSiteKey] = useState(siteKeys[0] ?? "");
  const [route, setRoute] = useState("");
  const [key, setKey] = useState(apiKey);
  const [denials, setDenials] = useState<readonly Denial[]>([]);
  const { failure, writing, run } = useWriting();
  const chosen = routes?.find(({ id }) => id === route);
  const canChange = chosen !== undefined && chosen.file === undefined;
  const isComplete = canChange && siteKey !== "" && key !== "";
  async function protect(event: FormEvent) {
    event.preventDefault();
    // The dialog can be inside another form's.
    event.stopPropagation();
    const found = await accessDenials(siteKey, key).catch((error: unknown) => {
      notifyFailure(t("failed.save"), error);
    });
    setDenials(found ?? []);
    if (found === undefined || found.length > 0) return;
    const body = { plugins: { captcha: { site_key: siteKey, api_key: key } } };
    const done = await run(
      () => callAdmin<WriteAnswer>(`routes/${encodeURIComponent(route)}`, { method: "PATCH", body }),
      () => t("captcha.protected", { route }),
    );
    if (done) onDone();
  }
  return (
    <form onSubmit={(event) => void protect(event)}>
      <Stack gap="md">
        <Rejection failure={failure} />
        <Text size="sm">{t("captcha.protect_text")}</Text>
        <Denied denials={denials} />
        <RouteInput routes={routes?.map(({ id }) => id) ?? []} route={route} onChange={setRoute} />
        {routes ? <ChosenRoute {...{ route, chosen, siteKey }} /> : null}
        {siteKeys.length > 1 ? (
          <NativeSelect
            label={t("captcha.site_key")}
            data={[...siteKeys]}
            value={siteKey}
            onChange={(event) => setSiteKey(event.currentTarget.value)}
          />
        ) : null}
        <KeyInput
          {...{ customer, route, canChange }}
          apiKey={key}
          mayMake={apiKey === ""}
          onChange={setKey}
        />
        <FormButtons
          word={t("captcha.protect_do")}
          loading={writing}
          disabled={!isComplete}
          onCancel={onDone}
        />
      </Stack>
    </form>
  );
}

function Denied({ denials }: { denials: readonly Denial[] }) {
  const { t } = useTranslation();
  if (denials.length === 0) return null;
  return (
    <Alert color="red" role="alert" title={t("captcha.denied")}>
      {denials.map((denial) => (
        <Text size="sm" key={denial}>
          {t(`captcha.denied_${denial}`)}
        </Text>
      ))}
    </Alert>
  );
}

interface KeyInputProps {
  customer: string;
  route: string;
  /** A key for a route that cannot use it would be wasted, and there are at most two. */
  canChange: boolean;
  apiKey: string;
  mayMake: boolean;
  onChange(apiKey: string): void;
}

/** The API key can be made here: the route stores it, so nobody needs to see it. */
function KeyInput({ customer, route, canChange, apiKey, mayMake, onChange }: KeyInputProps) {
  const { t } = useTranslation();
  const live = useLive();
  const [made, setMade] = useState<string>();
  const [making, setMaking] = useState(false);
  async function make() {
    setMaking(true);
    try {
      const answer = await makeApiKey(customer, { desc: t("captcha.made_for", { route }) });
      const id = idOf(answer.body);
      setMade(id);
      onChange(answer.body.secret);
      await live(t("captcha.api_key_made", { id }), changeOf(answer));
    } catch (error) {
      notifyFailure(t("captcha.not_made"), error);
    } finally {
      setMaking(false);
    }
  }
  return (
    <Group align="flex-end" wrap="nowrap">
      <PasswordInput
        flex={1}
        label={t("captcha.api_key")}
        description={
          made === undefined ? t("captcha.protect_key_hint") : t("captcha.filled_in", { id: made })
        }
        value={apiKey}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
        autoComplete="off"
        required
      />
      {mayMake ? (
        <Button
          variant="default"
          disabled={!canChange || made !== undefined}
          loading={making}
          onClick={() => void make()}
        >
          {t("captcha.make_for_route")}
        </Button>
      ) : null}
    </Group>
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

interface ChosenRouteProps {
  route: string;
  /** Undefined: no route has that id. */
  chosen: Protectable | undefined;
  siteKey: string;
}

function ChosenRoute({ route, chosen, siteKey }: ChosenRouteProps) {
  const { t } = useTranslation();
  if (route === "") return null;
  if (chosen === undefined) return <Text size="sm">{t("captcha.protect_unknown", { route })}</Text>;
  const { file } = chosen;
  if (file !== undefined)
    return (
      <Stack gap="sm">
        <Text size="sm">{t("captcha.protect_in_file", { file })}</Text>
        <Copied title={t("captcha.plugin")} text={pluginOf({ siteKey })} />
      </Stack>
    );
  return (
    <>
      {chosen.siteKey === undefined ? null : (
        <Text size="sm">{t("captcha.protected_already", { siteKey: chosen.siteKey })}</Text>
      )}
      {chosen.enabled ? null : <Text size="sm">{t("captcha.protect_disabled")}</Text>}
    </>
  );
}
