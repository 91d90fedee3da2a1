import { Button, Drawer, FocusTrap, Group, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type RefObject, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { type Kind, pluginsQuery, settingsSchema, type Value } from "../api/resources";
import { useModKey } from "../app/keys";
import type { Goal } from "../forms/form-context";
import { DiagnosticsPanel } from "./diagnostics-panel";
import { type Draft, isEdited, isWhole, pluginsOf, withPlugins } from "./draft";
import { type Checked, type SentDraft, useChecked } from "./draft-queries";
import { fixedDraft } from "./fixes";
import { fieldOf, isBelow, messagesByField } from "./located-diagnostics";
import { SettingsTabs } from "./settings-tabs";
import { Unreadable, UnreadableAlerts, useUnsavable } from "./unreadable";

/** The resource that holds the plugin's settings, in its current state. */
export interface WholeResource {
  kind: Kind;
  sent: SentDraft;
  value: Value;
}

export interface PluginEditorProps {
  /** Undefined if closed. */
  name: string | undefined;
  settings: Value;
  whole: WholeResource;
  goal: Goal | undefined;
  readOnly: boolean;
  documented: string | undefined;
  onDocument(name: string): void;
  onClose(): void;
  onTake(settings: Value): void;
}

/** Settings as a form or as JSON. Unsaved changes are not dropped without a confirmation. */
export function PluginEditor(props: PluginEditorProps) {
  const { t } = useTranslation();
  const { name, documented, onClose } = props;
  const changed = useRef(false);
  const [asking, setAsking] = useState(false);
  // Deferred, because the dialog would otherwise handle the same Escape.
  const ask = () => void setTimeout(() => setAsking(true));
  const close = () => (changed.current ? ask() : onClose());
  function drop() {
    setAsking(false);
    changed.current = false;
    onClose();
  }
  return (
    <>
      <Drawer
        opened={name !== undefined}
        onClose={close}
        closeOnEscape={!asking && documented === undefined}
        trapFocus={!asking}
        position="right"
        size="xl"
        title={name === undefined ? "" : t("plugin.settings", { name })}
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        {/* Otherwise the close button has the focus, and a second Enter after selecting a plugin would drop it. */}
        <FocusTrap.InitialFocus />
        {name === undefined ? null : (
          <Opened key={name} {...props} name={name} changed={changed} onClose={close} />
        )}
      </Drawer>
      <Modal
        opened={asking}
        onClose={() => setAsking(false)}
        title={t("plugin.drop_ask", { name })}
        zIndex={ABOVE_DRAWER}
        closeButtonProps={{ "aria-label": t("action.close") }}
      >
        <Group justify="flex-end">
          <Button variant="default" onClick={() => setAsking(false)}>
            {t("plugin.go_on")}
          </Button>
          <Button color="red" onClick={drop}>
            {t("plugin.drop")}
          </Button>
        </Group>
      </Modal>
    </>
  );
}

/** Drawers of Mantine have z-index 200. */
const ABOVE_DRAWER = 210;

function useSaidOfSettings(name: string, settings: Value, whole: WholeResource, enabled: boolean): Checked {
  const { kind, sent, value } = whole;
  const plugins = { ...pluginsOf(value), [name]: settings };
  const named = kind === "consumers" && sent.id !== "" ? { username: sent.id } : {};
  const text = JSON.stringify({ ...withPlugins(value, plugins), ...named }, null, 2);
  const checked = useChecked({ kind, id: sent.id, over: sent.over, text, enabled });
  return useMemo(() => {
    const { refusal: _, ...rest } = checked;
    const isOurs = (path: ReturnType<typeof fieldOf>) => isBelow(path, ["plugins", name]);
    return { ...rest, findings: checked.findings.filter((each) => isOurs(fieldOf(each, checked.text))) };
  }, [checked, name]);
}

/** Handles F1, unless the text editor already showed the schema of the field at the cursor. */
const onKey = (open: () => void) => (event: KeyboardEvent) => {
  if (event.key !== "F1" || event.defaultPrevented) return;
  event.preventDefault();
  open();
};

/** Saves the whole resource with these settings on Ctrl S: a save without them would look as if they were saved. */
function useSaveWithSettings(isSavable: boolean, take: () => void) {
  useModKey("s", (save) => {
    if (!isSavable) return;
    flushSync(take);
    save();
  });
}

interface OpenedProps extends PluginEditorProps {
  name: string;
  /** Set to true if there are unsaved changes. */
  changed: RefObject<boolean>;
}

function Opened(props: OpenedProps) {
  const { name, settings, whole, goal, readOnly, changed, onDocument, onClose, onTake } = props;
  const { t } = useTranslation();
  const { data } = useQuery(pluginsQuery);
  const schema = data?.[name] && settingsSchema(data[name], whole.kind);
  const [draft, setDraft] = useState<Draft>({ value: settings });
  const [tab, setTab] = useState("form");
  const [led, setLed] = useState<Goal>();
  const { value } = draft;
  const unsavable = useUnsavable(draft);
  const isChanged = isEdited(draft, settings);
  changed.current = isChanged;
  const isSaid = !readOnly && isWhole(draft) && (isChanged || Object.keys(settings).length > 0);
  const checked = useSaidOfSettings(name, value, whole, isSaid);
  const below = useMemo(() => ["plugins", name], [name]);
  const said = useMemo(() => messagesByField(checked, below), [checked, below]);
  useSaveWithSettings(!readOnly && isWhole(draft), () => isChanged && onTake(value));
  function go(path: Goal["path"]) {
    setTab("form");
    setLed({ path });
  }
  return (
    <Stack gap="md" onKeyDown={onKey(() => onDocument(name))}>
      <Group justify="space-between" align="flex-start" wrap="nowrap">
        <Text size="sm">{schema?.description}</Text>
        <Button size="xs" variant="default" style={{ flex: "none" }} onClick={() => onDocument(name)}>
          {t("documentation.open")}
        </Button>
      </Group>
      <SettingsTabs
        {...{ name, schema, draft, readOnly, said, tab, checked }}
        goal={led ?? goal}
        onTab={setTab}
        onChange={setDraft}
      />
      <Unreadable {...{ draft, tab }} onChange={setDraft} />
      <UnreadableAlerts draft={draft} onChange={setDraft} onGo={go} />
      {isSaid && checked.findings.length > 0 ? (
        <DiagnosticsPanel
          {...checked}
          below={below}
          onGo={(path) => go(path.slice(below.length))}
          onFix={(fix) => setDraft(fixedDraft(draft, { ...fix, path: fix.path.slice(below.length) }))}
        />
      ) : null}
      <Group justify="flex-end" className="drawer-foot">
        <Button variant="default" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button disabled={readOnly || !isWhole(draft)} title={unsavable} onClick={() => onTake(value)}>
          {t("plugin.take")}
        </Button>
      </Group>
    </Stack>
  );
}
