import { ActionIcon, Button, Group, Stack, Switch, Title, UnstyledButton } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { pluginsQuery, settingsSchema, type Value } from "../api/resources";
import { DocumentationButton, DocumentationDrawer } from "../documentation/documentation-drawer";
import type { Goal } from "../forms/form-context";
import { resolved, type Schema } from "../forms/schema";
import { Dimmed } from "../pages/elements";
import { type Plugins, withField } from "./draft";
import { PluginEditor, type WholeResource } from "./plugin-editor";
import { PluginPicker } from "./plugin-picker";

export interface PluginsSectionProps {
  plugins: Plugins;
  /** The resource that holds them, which is checked with new settings. */
  whole: WholeResource;
  /** Field to move to; if it belongs to a plugin, its settings open. */
  goal: Goal | undefined;
  readOnly: boolean;
  onChange(plugins: Plugins): void;
}

/** Plugins in their order of execution. */
export function PluginsSection({ plugins, whole, goal, readOnly, onChange }: PluginsSectionProps) {
  const { data: known = {} } = useQuery(pluginsQuery);
  const [picking, setPicking] = useState(false);
  const [documented, setDocumented] = useState<string>();
  const [editing, setEditing] = useEditing(plugins, goal);
  const inner = useMemo(() => pluginGoal(goal, editing), [goal, editing]);
  const priority = (name: string) => priorityOf(plugins[name], known[name]?.priority);
  const names = Object.keys(plugins).sort((a, b) => priority(b) - priority(a));
  return (
    <Stack gap="sm" component="section" aria-labelledby="plugins-title">
      <SectionHead readOnly={readOnly} onAdd={() => setPicking(true)} />
      {names.length === 0 ? <NoPlugins /> : null}
      {names.map((name) => (
        <PluginLine
          key={name}
          name={name}
          settings={plugins[name] ?? {}}
          schema={known[name] && settingsSchema(known[name], whole.kind)}
          priority={priority(name)}
          readOnly={readOnly}
          onEdit={() => setEditing(name)}
          onDocument={setDocumented}
          onChange={(settings) => onChange(withSettings(plugins, name, settings))}
        />
      ))}
      <PluginPicker
        opened={picking}
        taken={new Set(names)}
        documented={documented}
        onDocument={setDocumented}
        onClose={() => setPicking(false)}
        onPick={(name) => {
          setPicking(false);
          setEditing(name);
        }}
      />
      <PluginEditor
        name={editing}
        settings={plugins[editing ?? ""] ?? {}}
        whole={whole}
        goal={inner}
        readOnly={readOnly}
        documented={documented}
        onDocument={setDocumented}
        onClose={() => setEditing(undefined)}
        onTake={(settings) => {
          if (editing !== undefined) onChange(withSettings(plugins, editing, settings));
          setEditing(undefined);
        }}
      />
      <DocumentationDrawer
        name={documented}
        side={editing === undefined ? "right" : "left"}
        onOpen={setDocumented}
        onClose={() => setDocumented(undefined)}
      />
    </Stack>
  );
}

/** @param settings undefined removes the plugin */
const withSettings = (plugins: Plugins, name: string, settings: Value | undefined): Plugins =>
  withField(plugins, name, settings) as Plugins;

const priorityOf = (settings: Value | undefined, usual = 0): number =>
  (settings?.["_meta"] as { priority?: number } | undefined)?.priority ?? usual;

function NoPlugins() {
  const { t } = useTranslation();
  return <Dimmed>{t("plugin.none")}</Dimmed>;
}

/** Plugin with open settings; a goal inside a plugin opens them. */
function useEditing(plugins: Plugins, goal: Goal | undefined) {
  const editing = useState<string>();
  const [seen, setSeen] = useState<Goal>();
  if (seen !== goal) {
    setSeen(goal);
    const [first, name] = goal?.path ?? [];
    if (first === "plugins" && name !== undefined && plugins[name]) editing[1](String(name));
  }
  return editing;
}

function pluginGoal(goal: Goal | undefined, editing: string | undefined): Goal | undefined {
  const [first, name, ...path] = goal?.path ?? [];
  return first === "plugins" && name === editing && path.length > 0 ? { path } : undefined;
}

function SectionHead({ readOnly, onAdd }: { readOnly: boolean; onAdd: () => void }) {
  const { t } = useTranslation();
  return (
    <Group justify="space-between">
      <Title order={2} id="plugins-title">
        {t("plugin.section")}
      </Title>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        disabled={readOnly}
        onClick={onAdd}
        aria-label={t("action.add_plugin")}
      >
        {t("action.add")}
      </Button>
    </Group>
  );
}

interface PluginLineProps {
  name: string;
  settings: Value;
  /** Undefined until known. */
  schema: Schema | undefined;
  priority: number;
  readOnly: boolean;
  onEdit(): void;
  onDocument(name: string): void;
  /** Undefined if removed. */
  onChange(settings: Value | undefined): void;
}

function PluginLine(props: PluginLineProps) {
  const { name, settings, schema, priority, readOnly, onEdit, onDocument, onChange } = props;
  const { t } = useTranslation();
  const meta = (settings["_meta"] ?? {}) as Value;
  const enabled = meta["disable"] !== true;
  function enable(to: boolean) {
    const { disable: _, ...rest } = meta;
    const next = to ? rest : { ...rest, disable: true };
    const { _meta, ...own } = settings;
    onChange(Object.keys(next).length === 0 ? own : { ...own, _meta: next });
  }
  return (
    <div className="plugin-row">
      <Switch
        checked={enabled}
        disabled={readOnly}
        onChange={(event) => enable(event.currentTarget.checked)}
        aria-label={`${t(enabled ? "action.disable" : "action.enable")} ${name}`}
      />
      <div style={{ flex: 1, minWidth: 0 }}>
        <UnstyledButton onClick={onEdit} aria-label={t("action.edit", { name })} fw={600}>
          {name}
        </UnstyledButton>
        <Dimmed size="xs" className="cell code">
          {JSON.stringify(masked(settings, schema))}
        </Dimmed>
      </div>
      <Dimmed size="xs">{enabled ? t("plugin.priority", { priority }) : t("plugin.disabled")}</Dimmed>
      <DocumentationButton name={name} onOpen={onDocument} />
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={readOnly}
        onClick={() => onChange(undefined)}
        aria-label={t("action.remove", { name })}
      >
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}

/** Replaces a secret; its length reveals nothing. */
const MASK = "•••";

function masked(value: unknown, schema: Schema | undefined, root = schema): unknown {
  const known = resolved(schema, root ?? {});
  if (known === undefined || value === undefined) return value;
  if (known["x-secret"] === true) return MASK;
  const alternatives = [known, ...(known.anyOf ?? []), ...(known.oneOf ?? [])].map((each) =>
    resolved(each, root ?? {}),
  );
  if (Array.isArray(value)) {
    const items = alternatives.find((each) => each?.items !== undefined)?.items;
    return value.map((item) => masked(item, items, root));
  }
  if (typeof value !== "object" || value === null) return value;
  const below = (name: string) => {
    const own = alternatives.find((each) => each?.properties?.[name] !== undefined)?.properties?.[name];
    const others = alternatives.find((each) => typeof each?.additionalProperties === "object");
    return own ?? (others?.additionalProperties as Schema | undefined);
  };
  // A field that is unknown to this schema may be a secret of another one, such as the key of a consumer.
  const isUnknown = (name: string) =>
    alternatives.some((each) => each?.properties !== undefined) && below(name) === undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      isUnknown(name) ? MASK : masked(each, below(name), root),
    ]),
  );
}
