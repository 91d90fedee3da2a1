import { Text } from "@mantine/core";
import { Theme } from "@rjsf/mantine";
import type { FieldTemplateProps } from "@rjsf/utils";
import { type ComponentType, createContext, useContext } from "react";
import { type FieldSteps, nameOfField } from "./unreadable-fields";

export type SaidOfFields = ReadonlyMap<string, string>;

export const SaidOfFieldsContext = createContext<SaidOfFields>(new Map());

export const FieldPathContext = createContext<FieldSteps>([]);

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
