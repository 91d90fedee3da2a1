import { Stack, Text } from "@mantine/core";
import { Theme } from "@rjsf/mantine";
import type { FieldTemplateProps, ObjectFieldTemplateProps, RJSFSchema } from "@rjsf/utils";
import { type ComponentType, Fragment, type ReactNode, useContext, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  FieldPathContext,
  FormOptionsContext,
  GoalContext,
  SaidOfFieldsContext,
  SiblingFieldsContext,
  useContainsGoal,
} from "./form-context";
import { type FieldSteps, nameOfField } from "./unreadable-fields";

/** The fields of an object; below the root they are folded, and open if anything is set. */
export function ObjectTemplate(props: ObjectFieldTemplateProps) {
  const { title, description, properties, formData, fieldPathId, required, schema } = props;
  const { open } = useContext(FormOptionsContext);
  const lead = useContainsGoal(fieldPathId.path);
  const { path } = fieldPathId;
  const isTop = path.length === 0;
  const name = String(path.at(-1) ?? "");
  const set = (formData ?? {}) as Readonly<Record<string, unknown>>;
  const shown = properties.filter(({ hidden, name: each }) => !hidden && matters(each, set, schema));
  const fields = (
    <SiblingFieldsContext value={set}>
      <Fields {...{ shown, path, set }} />
    </SiblingFieldsContext>
  );
  if (isTop) return fields;
  // An item of a list has a frame of its own, with its number and its buttons.
  if (typeof path.at(-1) === "number") return fields;
  const isOpen = Object.keys(set).length > 0 || (path.length === 1 && open.includes(name));
  return (
    <Fold
      title={title}
      description={description as string | undefined}
      open={isOpen}
      required={required === true}
      lead={lead}
    >
      {fields}
    </Fold>
  );
}

/** Fields of upstreams that have an effect only with a certain value of another field. */
const ONLY_WITH: Readonly<Record<string, readonly [field: string, value: string]>> = {
  hash_on: ["type", "chash"],
  key: ["type", "chash"],
  upstream_host: ["pass_host", "rewrite"],
};

/** An object with a field of the same name, but without that choice next to it, always matters. */
function matters(name: string, set: Readonly<Record<string, unknown>>, schema: RJSFSchema): boolean {
  const [other = "", value] = ONLY_WITH[name] ?? [];
  const choices = (schema.properties?.[other] as RJSFSchema | undefined)?.enum ?? [];
  return set[name] !== undefined || set[other] === value || !choices.includes(value as never);
}

interface FieldsProps {
  shown: ObjectFieldTemplateProps["properties"];
  path: FieldSteps;
  set: Readonly<Record<string, unknown>>;
}

function Fields({ shown, path, set }: FieldsProps) {
  const { t } = useTranslation();
  const { primary, between } = useContext(FormOptionsContext);
  const goal = useContext(GoalContext)?.path;
  const isOnWay = useContainsGoal(path);
  const isTop = path.length === 0;
  const first = primary[String(path.at(-1) ?? "")];
  if (first === undefined) return <Stack gap="md">{shown.map(({ content }) => content)}</Stack>;
  const isFirst = (one: string) => first.includes(one) || set[one] !== undefined;
  const others = shown.filter((one) => isFirst(one.name) && !first.includes(one.name));
  const more = shown.filter((one) => !isFirst(one.name));
  return (
    <Stack gap="md">
      {first.map((each) => (
        <Fragment key={each}>
          {(isTop ? between[each] : undefined) ?? shown.find((one) => one.name === each)?.content}
        </Fragment>
      ))}
      {others.map(({ content }) => content)}
      {more.length === 0 ? null : (
        <Fold
          title={t("form.more", { count: more.length })}
          lead={isOnWay && more.some(({ name }) => name === goal?.[path.length])}
        >
          <Stack gap="md">{more.map(({ content }) => content)}</Stack>
        </Fold>
      )}
    </Stack>
  );
}

interface FoldProps {
  title: string;
  description?: string | undefined;
  open?: boolean;
  required?: boolean;
  /** The goal is inside. */
  lead?: boolean;
  children: ReactNode;
}

/** Renders when first opened: rarely set fields of a route take longer than all others together. */
function Fold({ title, description, open = false, required = false, lead = false, children }: FoldProps) {
  const [opened, setOpened] = useState(open);
  if (lead && !opened) setOpened(true);
  const isOpen = open || opened;
  return (
    <details
      className="fold"
      open={isOpen || undefined}
      onToggle={({ currentTarget, target }) => {
        if (target === currentTarget) setOpened(currentTarget.open);
      }}
    >
      <summary>
        <Text span fw={600} size="sm">
          {title}
          {required ? <RequiredMark /> : null}
        </Text>
        {description ? (
          <Text span size="xs" c="dimmed" ml="sm">
            {description}
          </Text>
        ) : null}
      </summary>
      {isOpen ? <div className="folded">{children}</div> : null}
    </details>
  );
}

/** Mark of a required field, as in Mantine's own fields. */
export const RequiredMark = () => (
  <Text span c="var(--mantine-color-error)" aria-hidden>
    {" *"}
  </Text>
);

const KitField = Theme.templates?.FieldTemplate as ComponentType<FieldTemplateProps>;

/** Mantine's template, with the diagnostic of the compiler below the field. */
export function FieldTemplate(props: FieldTemplateProps) {
  const said = useContext(SaidOfFieldsContext).get(nameOfField(props.fieldPathId.path));
  return (
    <div>
      <FieldPathContext value={props.fieldPathId.path}>
        <KitField {...props} />
      </FieldPathContext>
      {said === undefined || props.fieldPathId.path.length === 0 ? null : (
        <Text size="xs" c="var(--mantine-color-error)" mt={4}>
          {said}
        </Text>
      )}
    </div>
  );
}
