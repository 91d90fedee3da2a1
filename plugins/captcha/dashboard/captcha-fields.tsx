import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, Suspense } from "react";
import { type Schema, SchemaForm, schemaQuery } from "../../../runtime/dashboard/plugin-kit";
import { type CaptchaKind, pathOf } from "./api";
import type { Editing } from "./editing";

interface CaptchaFieldsProps
  extends Pick<ComponentProps<typeof SchemaForm>, "left" | "primary" | "readOnly">,
    Pick<Editing, "value" | "unreadable" | "edit"> {
  kind: CaptchaKind;
}

export function CaptchaFields({ kind, edit, ...form }: CaptchaFieldsProps) {
  const { data: schema } = useQuery(schemaQuery(pathOf(kind)));
  if (schema === undefined) return <Skeleton h={240} aria-busy />;
  return (
    <Suspense>
      <SchemaForm id={`captcha-${kind}`} schema={schema as Schema} {...form} onChange={edit} />
    </Suspense>
  );
}
